"""Papers behind a report: how its text names them, and their BibTeX. The same works stand in CITATION.cff."""

from dataclasses import dataclass
from datetime import datetime

from collection.models import Study
from config.version import version

# How TeX writes what it would read as a command.
IN_TEX = str.maketrans(
    {letter: f"\\{letter}" for letter in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "`": r"\textasciigrave{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)


@dataclass(frozen=True)
class Paper:
    """A work that is cited: its key, how text names it, the kind of its entry, and the entry's fields."""

    key: str
    said: str
    kind: str
    fields: tuple[tuple[str, str], ...]

    @property
    def bibtex(self) -> str:
        """The entry, a field a line."""
        lines = [f"  {name} = {{{value}}}" for name, value in self.fields]
        return f"@{self.kind}{{{self.key},\n" + ",\n".join(lines) + "\n}"


def _paper(key: str, said: str, kind: str, **fields: str) -> Paper:
    return Paper(key, said, kind, tuple(fields.items()))


def faceoff() -> Paper:
    """The software itself, in its present version."""
    return _paper(
        "faceoff",
        "The Faceoff maintainers, 2026",
        "software",
        author="{The Faceoff maintainers}",
        title="Faceoff: crowdsourced preference judging with built-in scoring",
        version=version(),
        year="2026",
    )


def of_study(study: Study, at: datetime, url: str = "", until: datetime | None = None) -> Paper:
    """A study as it stood at a moment. url: of a share link; until: when that ends."""
    fields = {
        "title": "{" + study.name.translate(IN_TEX) + "}",
        "howpublished": f"Preference judgments collected with Faceoff {version()}",
        "year": f"{at:%Y}",
        "month": f"{at:%b}".lower(),
        "note": f"As of {at:%-d %B %Y}",
    }
    if url:
        fields |= {"url": url}
    if until:
        fields["note"] += f"; the link works until {until:%-d %B %Y}"
    return _paper(study.slug, study.name, "misc", **fields)


CLARKE = _paper(
    "clarke2021",
    "Clarke et al., 2021",
    "article",
    author="Clarke, Charles L. A. and Vtyurina, Alexandra and Smucker, Mark D.",
    title="Assessing top-k preferences",
    journal="ACM Transactions on Information Systems",
    volume="39",
    number="3",
    year="2021",
)
LUO = _paper(
    "luo2021",
    "Luo, 2021",
    "mastersthesis",
    author="Luo, Chengxi",
    title="Information Retrieval Evaluation Measures Based on Preference Graphs",
    school="University of Waterloo",
    year="2021",
)
WEBBER = _paper(
    "webber2010",
    "Webber et al., 2010",
    "article",
    author="Webber, William and Moffat, Alistair and Zobel, Justin",
    title="A similarity measure for indefinite rankings",
    journal="ACM Transactions on Information Systems",
    volume="28",
    number="4",
    year="2010",
)
CARTERETTE = _paper(
    "carterette2008",
    "Carterette and Bennett, 2008",
    "inproceedings",
    author="Carterette, Ben and Bennett, Paul N.",
    title="Evaluation measures for preference judgments",
    booktitle="SIGIR 2008",
    year="2008",
)
JARVELIN = _paper(
    "jarvelin2002",
    "Järvelin and Kekäläinen, 2002",
    "article",
    author="Järvelin, Kalervo and Kekäläinen, Jaana",
    title="Cumulated gain-based evaluation of IR techniques",
    journal="ACM Transactions on Information Systems",
    volume="20",
    number="4",
    year="2002",
)
MOFFAT = _paper(
    "moffat2008",
    "Moffat and Zobel, 2008",
    "article",
    author="Moffat, Alistair and Zobel, Justin",
    title="Rank-biased precision for measurement of retrieval effectiveness",
    journal="ACM Transactions on Information Systems",
    volume="27",
    number="1",
    year="2008",
)
CHIANG = _paper(
    "chiang2024",
    "Chiang et al., 2024",
    "inproceedings",
    author="Chiang, Wei-Lin and Zheng, Lianmin and Stoica, Ion and others",
    title="Chatbot Arena: An open platform for evaluating LLMs by human preference",
    booktitle="ICML",
    year="2024",
)
KRIPPENDORFF = _paper(
    "krippendorff2011",
    "Krippendorff, 2011",
    "techreport",
    author="Krippendorff, Klaus",
    title="Computing Krippendorff's alpha-reliability",
    institution="University of Pennsylvania",
    year="2011",
)
MOGSTAD = _paper(
    "mogstad2024",
    "Mogstad et al., 2024",
    "article",
    author="Mogstad, Magne and Romano, Joseph P. and Shaikh, Azeem M. and Wilhelm, Daniel",
    title="Inference for ranks with applications to mobility across neighbourhoods and academic achievement "
    "across countries",
    journal="Review of Economic Studies",
    volume="91",
    number="1",
    year="2024",
)
WILSON = _paper(
    "wilson1927",
    "Wilson, 1927",
    "article",
    author="Wilson, Edwin B.",
    title="Probable inference, the law of succession, and statistical inference",
    journal="Journal of the American Statistical Association",
    volume="22",
    number="158",
    year="1927",
)
# The works that define each measure of a leaderboard.
OF_MEASURE: dict[str, tuple[Paper, ...]] = {
    "pgc": (LUO,),
    "compatibility": (CLARKE, WEBBER),
    "compatibility_top": (CLARKE, WEBBER),
    "compatibility_best": (CLARKE, WEBBER),
    "pgc_derived": (LUO,),
    "pgc_combined": (LUO,),
    "win_rate": (CHIANG,),
    "wpref": (CARTERETTE,),
    "delta_ndcg": (LUO,),
    "ndcg": (JARVELIN,),
    "rbp": (MOFFAT,),
}
