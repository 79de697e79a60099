"""MTurk's wire protocol: JSON 1.1 with SigV4, requests and replies checked against botocore's service model.

botocore itself sends values that break the model's patterns, maxima and enumerations; the service refuses
them, and so does this. A reply is checked by botocore's validator as well, so that no client can tell it from
a real one by its shape.
"""

import json
import re
import secrets
from collections.abc import Callable
from typing import Any

from botocore.loaders import Loader
from botocore.model import ListShape, OperationModel, ServiceModel, Shape, StructureShape
from botocore.validate import ParamValidator

from simulation.emulators.emulator_base import Emulator, Refusal
from simulation.emulators.http_server import EmulatedReply, Request, as_json

KIND = "application/x-amz-json-1.1"
MODEL = ServiceModel(Loader().load_service_model("mturk", "service-2"))
PREFIX = MODEL.metadata["targetPrefix"] + "."
# The service signs by this name in this region only, whatever host the client was given.
SCOPE = re.compile(
    r"AWS4-HMAC-SHA256 Credential=[^/,\s]+/\d{8}/us-east-1/mturk-requester/aws4_request,\s*"
    r"SignedHeaders=(?P<headers>[a-z0-9;-]+),\s*Signature=[0-9a-f]{64}"
)

Answer = Callable[[Emulator, dict[str, Any]], dict[str, Any]]
OPERATIONS: dict[str, Answer] = {}


def operation(answer: Answer) -> Answer:
    """Register the function that answers the operation of its name: create_hit_type is CreateHITType."""
    plain = answer.__name__.replace("_", "")
    name = next(name for name in MODEL.operation_names if name.lower() == plain)
    OPERATIONS[name] = answer
    return answer


def trouble(m: Emulator, code: str, message: str) -> Refusal:
    """A RequestError as the service words it, with the time in milliseconds behind the message."""
    body = {
        "__type": "com.amazonaws.mturk.requester#RequestError",
        "Message": f"{message} ({int(m.now * 1000)} s)",
        "TurkErrorCode": code if "." in code else f"AWS.MechanicalTurk.{code}",
    }
    if not m.switch("turk_error_code"):
        del body["TurkErrorCode"]
    return Refusal(sent(body, 400))


def gateway(code: str, message: str, status: int = 400) -> Refusal:
    """An error of the gateway before the service: not in the model, and without a TurkErrorCode."""
    return Refusal(sent({"__type": code, "message": message}, status))


def sent(body: object, status: int = 200) -> EmulatedReply:
    """A reply with the headers that the service sends."""
    number = secrets.token_hex(16)
    request = "-".join((number[:8], number[8:12], number[12:16], number[16:20], number[20:]))
    return as_json(body, status, KIND, **{"x-amzn-RequestId": request})


def target(request: Request) -> str:
    """The operation that a request asks for; "" for one that is no request to the service."""
    name = request.headers.get("x-amz-target", "")
    return name.removeprefix(PREFIX) if name.startswith(PREFIX) else ""


def answer(m: Emulator, request: Request) -> EmulatedReply:
    """Check a request, do what it asks for, check the reply. Raises Refusal."""
    name = target(request)
    if request.method != "POST" or request.path != "/" or request.query:
        raise gateway("UnknownOperationException", "POST / is the only address", 404)
    if request.headers.get("content-type") != KIND:
        raise gateway("SerializationException", f"the content type is not {KIND}")
    signed = SCOPE.fullmatch(request.headers.get("authorization", ""))
    if not signed or not {"host", "x-amz-date", "x-amz-target"} <= {*signed["headers"].split(";")}:
        raise gateway(
            "InvalidSignatureException", "Credential should be scoped to us-east-1 and mturk-requester"
        )
    if name not in OPERATIONS:
        known = name in MODEL.operation_names
        raise gateway("UnknownOperationException", f"{name}: {'not emulated' if known else 'no such'}")
    model = MODEL.operation_model(name)
    try:
        asked = request.json() if request.body else {}
    except ValueError as problem:
        raise gateway("SerializationException", str(problem)) from None
    problems = [*walk(model.input_shape, asked, "")] if model.input_shape else []
    if problems:
        count = f"{len(problems)} validation error{'s' if len(problems) > 1 else ''} detected"
        raise gateway("ValidationException", f"{count}: {'; '.join(problems)}")
    return reply(m, model, OPERATIONS[name](m, asked))


def reply(m: Emulator, model: OperationModel, body: dict[str, Any]) -> EmulatedReply:
    """The reply, if the service could send it. Raises ValueError otherwise: the emulator is wrong."""
    shape = model.output_shape
    if shape is not None:
        problems = [*walk(shape, body, "")]
        report = ParamValidator().validate(body, shape)
        if problems or report.has_errors():
            raise ValueError(f"a bad reply to {model.name}: {problems} {report.generate_report()}")
    if shape is None or not shape.members:
        return sent({})._replace(body=str(m.switch("empty_output")).encode())
    return sent(body)


def walk(shape: Shape, value: Any, path: str) -> "list[str]":
    """What is wrong with a value of a shape, in the gateway's words."""
    if isinstance(shape, StructureShape):
        if not isinstance(value, dict):
            return [_bad(value, path, "Member must be an object")]
        problems = [
            _bad(None, _at(path, name), "Member must not be null")
            for name in shape.required_members
            if value.get(name) is None
        ]
        for name, part in value.items():
            if name not in shape.members:
                problems.append(_bad(part, _at(path, name), "Member must be one of the model's"))
            elif part is not None:
                problems += walk(shape.members[name], part, _at(path, name))
        return problems
    if isinstance(shape, ListShape):
        if not isinstance(value, list):
            return [_bad(value, path, "Member must be a list")]
        return [p for n, part in enumerate(value, 1) for p in walk(shape.member, part, f"{path}.{n}.member")]
    return _scalar(shape, value, path)


TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "long": (int,),
    "timestamp": (int, float),
}


def _scalar(shape: Shape, value: Any, path: str) -> list[str]:
    kind = shape.type_name
    if not isinstance(value, TYPES[kind]) or (kind != "boolean" and isinstance(value, bool)):
        return [_bad(value, path, f"Member must be a {kind}")]
    limits: dict[str, Any] = shape.metadata
    problems = []
    size, noun = (len(value), " length") if isinstance(value, str) else (value, " value")
    if "min" in limits and size < limits["min"]:
        problems.append(_bad(value, path, f"Member must have{noun} greater than or equal to {limits['min']}"))
    if "max" in limits and size > limits["max"]:
        problems.append(_bad(value, path, f"Member must have{noun} less than or equal to {limits['max']}"))
    if "enum" in limits and value not in limits["enum"]:
        problems.append(_bad(value, path, f"Member must satisfy enum value set: {limits['enum']}"))
    pattern = str(limits.get("pattern", ""))
    if pattern and not re.fullmatch(pattern.removeprefix("^").removesuffix("$"), str(value)):
        problems.append(
            _bad(value, path, f"Member must satisfy regular expression pattern: {pattern}"),
        )
    return problems


def _at(path: str, name: str) -> str:
    # The gateway writes the first letter small: requesterFeedback, hITId.
    name = name[:1].lower() + name[1:]
    return f"{path}.{name}" if path else name


def _bad(value: Any, path: str, constraint: str) -> str:
    shown = "null" if value is None else f"'{value if isinstance(value, str) else json.dumps(value)}'"
    return f"Value {shown} at '{path}' failed to satisfy constraint: {constraint}"
