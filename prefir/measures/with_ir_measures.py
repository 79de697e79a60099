"""Provider for ir_measures: the measures that it lacks, over its own qrels and runs.

Importing this module adds them to ir_measures, which must be installed: they work beside its own in
`ir_measures.calc_aggregate([PGC(p=0.95), nDCG @ 10], qrels, run)`, are parsed by name, and take qrels and
runs in every form that ir_measures takes. Its rules apply: a topic of the qrels that the run lacks scores 0.
A topic in which nothing is above grade 0 has no value by a preference graph or by compatibility, and is left
out of their means. Equal scores go by docno, descending, as in trec_eval (`Compat` of ir_measures orders them
ascending and stops RBO at the longer list; `Compatibility` is the authors' definition, to depth 1000).
"""

from collections.abc import Iterable, Iterator, Mapping
from inspect import Parameter, signature
from math import isnan
from typing import Any

try:
    import ir_measures
except ImportError as error:  # pragma: no cover - the sentence says it all
    raise ImportError("these measures need ir_measures: pip install ir_measures") from error
from ir_measures import measures, providers
from ir_measures.util import QrelsConverter, RunConverter

from .graph import PreferenceGraph
from .measure import Inputs, Measure
from .rankings import Rankings
from .registry import MEASURES
from .scores import score

NAMES = {
    "pgc": "PGC",
    "compatibility": "Compatibility",
    "ppref": "Ppref",
    "wpref": "Wpref",
    "rpref": "Rpref",
    "appref": "APpref",
    "delta_ndcg": "DeltaNDCG",
    "delta_err": "DeltaERR",
    "xie_dcg": "XieDCG",
}
"""Name in `MEASURES` -> name in ir_measures. Measures of graphs use the preferences that the qrels imply,
with grade 0 below all others unless `without_zero=True`."""


def _options(measure: Measure) -> dict[str, measures.ParamInfo]:
    """The measure's keyword options in the form of ir_measures."""
    found = {}
    for name, parameter in signature(measure.function).parameters.items():
        if parameter.kind is Parameter.KEYWORD_ONLY:
            dtype = int if name in ("k", "depth") else type(parameter.default)
            found[name] = measures.ParamInfo(dtype=dtype, default=parameter.default, desc=name)
    if measure.inputs is Inputs.GRAPH:
        found["without_zero"] = measures.ParamInfo(dtype=bool, default=False, desc="leave grade 0 out")
    return found


def _made(name: str, called: str) -> Any:
    measure = MEASURES[name]
    kind = type(
        f"_{called}",
        (measures.Measure,),
        {
            "__name__": called,
            "__doc__": f"{measure.title}. Source: {measure.source}.",
            "NAME": called,
            "AT_PARAM": "k",
            "PRETTY_NAME": measure.title,
            "SHORT_DESC": measure.title,
            "SUPPORTED_PARAMS": _options(measure),
        },
    )
    return kind()


class _Evaluator(providers.Evaluator):
    def __init__(self, asked: Iterable[Any], qrels: Mapping[str, Mapping[str, float]]) -> None:
        super().__init__(asked, set(qrels))
        self.qrels = qrels

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """Iterate over each topic's value by each measure; topics without a value are left out."""
        scored = RunConverter(run).as_dict_of_dict()
        rankings = Rankings(judged=self.qrels)
        # A topic that the run lacks is an empty ranking, which scores 0 as in ir_measures.
        rankings.add_scores("run", {topic: scored.get(topic, {}) for topic in self.qrels})
        for measure in self.measures:
            options = dict(measure.params)
            ours = OURS[str(measure.NAME)]
            judged: Mapping[str, Any] = self.qrels
            if MEASURES[ours].inputs is Inputs.GRAPH:
                with_zero = not options.pop("without_zero", False)
                judged = {
                    topic: PreferenceGraph.derived(grades, with_zero=with_zero)
                    for topic, grades in self.qrels.items()
                }
            found = score(ours, judged, rankings, **options)
            for topic, (value,) in zip(found.topics, found.values.tolist(), strict=True):
                if not isnan(value):
                    yield ir_measures.Metric(query_id=topic, measure=measure, value=value)


class _Provider(providers.Provider):
    NAME = "faceoff"

    def _evaluator(self, asked: Iterable[Any], qrels: Any) -> _Evaluator:
        return _Evaluator(list(asked), QrelsConverter(qrels).as_dict_of_dict())


OURS = {called: name for name, called in NAMES.items()}
PGC, Compatibility, Ppref, Wpref, Rpref, APpref, DeltaNDCG, DeltaERR, XieDCG = (
    measures.register(_made(name, called))[called] for name, called in NAMES.items()
)
_Provider.SUPPORTED_MEASURES = [
    made(**dict.fromkeys(made.SUPPORTED_PARAMS, providers.base.Any()))
    for made in (PGC, Compatibility, Ppref, Wpref, Rpref, APpref, DeltaNDCG, DeltaERR, XieDCG)
]
ir_measures.DefaultPipeline.providers.append(providers.register(_Provider()))
