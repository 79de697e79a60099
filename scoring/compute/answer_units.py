"""Labels of answers by question and person, as measures of agreement take them. Without Django."""

from typing import TYPE_CHECKING, Any, NamedTuple

from scoring.compute.answer_columns import Answers, group_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prefir.measures.agreement import LabelColumns

    Numbers = NDArray[np.integer[Any]]


class Units(NamedTuple):
    """Labels by question and person; of a person who answered a question twice, the first. Questions stand in
    the order of their first answers, each with its labels in theirs.

    unit: the number of each label's question. sizes: labels of each question.
    """

    unit: "Numbers"
    assessor: "Numbers"
    label: "NDArray[np.float64]"
    sizes: "Numbers"

    def shared(self) -> "Units":
        """Those of questions that two people or more answered; they keep their numbers."""
        there = self.sizes[self.unit] > 1
        return Units(self.unit[there], self.assessor[there], self.label[there], self.sizes)

    def columns(self) -> "LabelColumns":
        """The labels, as measures of agreement take them."""
        import numpy as np

        from prefir.measures.agreement import LabelColumns

        labels, codes = np.unique(self.label, return_inverse=True)
        return LabelColumns(labels.tolist(), codes, self.unit, self.sizes)


def units_of(answers: Answers, *, strength: bool = False) -> Units:
    """The units of these answers. strength: labels tell strong from weak preference."""
    import numpy as np

    first, _ = group_rows(answers.question, answers.assessor)
    own = answers.where(first)
    _, unit = group_rows(own.question)
    order = np.argsort(unit, kind="stable")
    label = own.told("strength").astype(float) if strength else own.labels()
    return Units(unit[order], own.assessor[order], label[order], np.bincount(unit))
