"""Joined modules and sheets: which forms are read, in which order they run, and what is refused."""

import pytest

from config.bundles import BadModule, joined_modules, joined_sheets
from config.static_files import BUNDLES
from tests.ground import ROOT


def read(path: str) -> str:
    return (ROOT / "static" / path).read_text()


def joined(**modules: str) -> str:
    return joined_modules(["js/a.js"], {f"js/{name}.js": text for name, text in modules.items()}.__getitem__)


MODULE_A = """/* Of a. */
import { one, two as second } from "./b.js";
import * as all from "./b.js";

second(one, all);
"""
MODULE_B = """// Of b.
export const one = 1;

/** A function. */
export function two() {}
export async function* three() {}
"""
BOTH = """const $js_b = (() => {
const one = 1;

function two() {}
async function* three() {}
return { one, two, three };
})();
const $js_a = (() => {
const { one, two: second } = $js_b;
const all = $js_b;

second(one, all);
return {  };
})();"""


def test_names_come_by_the_object_of_their_module():
    assert joined(a=MODULE_A, b=MODULE_B) == BOTH


def test_modules_run_once_and_before_those_that_import_them():
    text = joined(
        a='import "./b.js";\nimport "./c.js";\n',
        b='export { x, x as y } from "./c.js";\n',
        c="export const x = 1;\n",
    )
    assert [text.index(f"const $js_{name} ") for name in "cba"] == sorted(
        text.index(f"const $js_{name} ") for name in "abc"
    )
    assert "return { x: $js_c.x, y: $js_c.x };" in text


@pytest.mark.parametrize(
    "source",
    [
        "export let x = 1;", "export default 1;", 'import x from "./b.js";', 'import { x } from "b";',
        'import {\n  x,\n} from "./b.js";', 'const x = await import("./b.js");', "f(import.meta.url);",
        'export * from "./b.js";', 'import { x } from "./a.js";', "const x = 1;\nexport { x };",
    ],
)  # fmt: skip
def test_what_cannot_be_joined_is_refused(source):
    with pytest.raises(BadModule):
        joined(a=f"{source}\n", b="export const x = 1;\n")


def test_sheets_follow_each_other_without_comments():
    sheets = {"css/a.css": "/* Of a. */\na { b: c }\n", "css/b.css": "d { e: url(x) } /* Of\nb. */"}
    assert joined_sheets(sheets, sheets.__getitem__) == "a{b: c}d{e: url(x)}"


def test_indents_are_left_out_but_of_templates_which_would_change():
    assert joined(a="if (x) {\n  f(`${a} ${`b`}`);\n}\n") == (
        "const $js_a = (() => {\nif (x) {\nf(`${a} ${`b`}`);\n}\nreturn {  };\n})();"
    )
    with pytest.raises(BadModule):
        joined(a="f(`a\n  b`);\n")


def test_every_bundle_can_be_made():
    for files in BUNDLES.values():
        if files[0].endswith(".js"):
            assert "import " not in joined_modules(files, read)
        else:
            assert joined_sheets(files, read)
