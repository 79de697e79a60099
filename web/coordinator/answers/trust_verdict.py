"""The verdict of the page of trust in a sentence, the key figures below it, and what is known before them."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from django.core.cache import cache

from collection.models import Study
from collection.models.study import Words
from judging.models import Assignment
from judging.verdicts.challenge_failures import rates, rates_of_excluded
from scoring.analysis.doubtful_judgments import Doubts
from scoring.analysis.leave_one_out import Without
from scoring.board import standings
from scoring.compute.doubtful_judgments import Reason
from scoring.compute.trust_figures import Trust
from web.shared.influence_sentences import other_leads
from web.shared.influence_sentences import without as without_them
from web.shared.key_figures import KeyFigure
from web.shared.latest_trust import (
    FEW,
    RELIABLE,
    TENTATIVE,
    agreed,
    alpha_told,
    hasty,
    named_people,
    widest_agreement,
)
from web.shared.phrases import count, number, percent

# From this share on doubtful judgments, and challenges answered wrongly, are a reason to doubt them all.
MANY = 0.1
# What is known before the figures is read anew so often.
KNOWN_SECONDS = 60
# From this share of the runs on that would change places, judgments can be trusted in part.
MOVING = 0.25
# Nobody to look at.
EMPTY: Mapping[int, Without | None] = MappingProxyType({})
AGREE, WITHOUT = "Agreement", "without the doubtful"
# What speaks against most doubtful judgments, in words that follow their number.
WHY = {
    Reason.AGAINST: "contradicted by all others",
    Reason.REPEAT: "against the same person’s other answer",
    Reason.CYCLE: "against what other pairs say",
    Reason.GRADES: "against the grades",
    Reason.FAST: "too fast to be read",
    Reason.FAILED: "of people who fail challenges",
}


def verdict(
    doubts: Doubts,
    order: Without | None,
    own: Trust | None,
    words: Words,
    *,
    programs: int = 0,
    doubted: Mapping[int, Without | None] = EMPTY,
) -> tuple[str, str, bool]:
    """Answer in a sentence whether judgments can be trusted, say what is left, and whether there is doubt.

    order: what changes without doubtful judgments; own: of agreement and people. Either is None while it is
    not known. programs: people whose answers show signs of a program. doubted: people to look at by their
    ids, with what would change without each, None where that is not known.
    """
    said, without = headline(doubts, programs), f" {without_them(order, words)}" if order else ""
    if not doubts.judgments:
        return said, without.strip(), False
    found = objections(doubts, order, own, words)
    alone = next(iter(doubted.values())) if len(doubted) == 1 else None
    if lost := sum(other_leads(one) for one in doubted.values() if one):
        found.insert(0, f"another {words.run} would lead without {_to_look_at(lost)}")
    if found:
        return f"With doubt: {', and '.join(found[:2])}.", f"{said}{without}", True
    best = agreed(own)
    sure = best is not None and (best.all_same or (best.alpha or 0) >= RELIABLE)
    if own is not None and not best and not own.challenges.every:
        untold = "Too little is known: few pairs have two answers, and nobody met a challenge."
        return untold, f"{said}{without}", False
    if order and order.effect.moved >= MOVING * len(order.effect.ranks_before):
        how = "In part"
    elif best:
        how = "Yes" if sure and not (doubts.doubtful or programs) else "Yes, mostly"
    else:
        how = "Yes, as far as can be told"
    share = doubted_share(own, doubted)
    if share >= MANY and how != "In part":
        theirs = (
            f"{how.partition(',')[0]}, but {percent(share)} of the answers are by {_to_look_at(len(doubted))}"
        )
        effect = without_them(alone, words) if alone else ""
        told = f": {effect[0].lower()}{effect[1:]}" if effect else "."
        return f"{theirs}{told}", f"{said}{without}", False
    who = "people" if own is None or named_people(own) else "answers"
    why = f"{who} agree on the same pair, {'but' if doubts.doubtful else 'and'} " if best else ""
    unknown = "" if best or own is None else " Too few pairs have two answers to say whether people agree."
    return f"{how}: {why}{said[0].lower()}{said[1:]}", f"{without.strip()}{unknown}".strip(), False


def doubted_share(own: Trust | None, doubted: Collection[int]) -> float:
    """Return the share of the answers that count which people to look at gave."""
    theirs = sum(one.answers for one in own.people if one.pk in doubted) if own is not None else 0
    return theirs / own.all.answers if own is not None and theirs else 0.0


def _to_look_at(people: int) -> str:
    return "one person to look at" if people == 1 else f"{people:,} people to look at"


def headline(doubts: Doubts, programs: int = 0) -> str:
    """Return in a sentence how many judgments are doubtful, and how many people show signs of a program."""
    if not doubts.judgments:
        return "No judgment that counts compares two items yet."
    like = f"{count(programs, 'person')}{{who}} {'shows' if programs == 1 else 'show'} signs of a program"
    if not doubts.doubtful:
        nothing = f"Nothing speaks against any of {count(doubts.judgments, 'judgment')}"
        return f"{nothing} except those of {like.format(who=', who')}." if programs else f"{nothing}."
    verb = "is" if doubts.doubtful == 1 else "are"
    said = f"{doubts.doubtful:,} of {count(doubts.judgments, 'judgment')} {verb} doubtful"
    return f"{said}, and {like.format(who='')}." if programs else f"{said}."


def objections(doubts: Doubts, order: Without | None, own: Trust | None, words: Words) -> list[str]:
    """Return what makes all judgments doubtful, in parts of a sentence, the worst first."""
    found = []
    if order and other_leads(order):
        found.append(f"another {words.run} would lead without {count(doubts.doubtful, 'doubtful judgment')}")
    best = agreed(own)
    if best is not None and best.alpha is not None and best.alpha < TENTATIVE:
        found.append(f"answers agree too little (α {number(best.alpha, 3)})")
    if own is not None and own.challenges.share is not None and own.challenges.share >= MANY:
        found.append(f"{percent(own.challenges.share)} of the challenges were answered wrongly")
    if doubts.doubtful >= MANY * doubts.judgments:
        found.append(f"{percent(doubts.doubtful / doubts.judgments)} of the judgments are doubtful")
    if own is not None and (share := hasty(own.all)):
        found.append(f"{share} of the answers came faster than a reader could be")
    return found


def key_figures(
    study: Study,
    doubts: Doubts,
    order: Without | None,
    own: Trust | None,
    *,
    order_waits: bool,
    excluded: int = 0,
    programs: Collection[int] = (),
) -> list[KeyFigure]:
    """Return the figures that the verdict rests on. excluded: people whose answers are in none of them;
    programs: those whose answers show signs of a program, by their ids.
    """
    found = []
    move = f"{study.words.runs.capitalize()} that move"
    if own is not None:
        found += [
            _agreement(own),
            _right(own.challenges.every, own.challenges.some, own.challenges_out.every),
        ]
    share = f"of {doubts.judgments:,} judgments{_commonest(doubts)}"
    many = bool(doubts.doubtful) and doubts.doubtful >= MANY * doubts.judgments
    theirs = sum(one.answers for one in own.people if one.pk in programs) if own is not None else 0
    if theirs:
        share += f"; besides, {theirs:,} of {count(len(programs), 'person')} with signs of a program"
    found.insert(1, KeyFigure("Doubtful", f"{doubts.doubtful:,}", share, many))
    if order:
        moved = f"{order.effect.moved:,} of {len(order.effect.ranks_before):,}"
        found.append(KeyFigure(move, moved, WITHOUT, other_leads(order)))
    elif order_waits:
        found.append(KeyFigure(move, "…", WITHOUT))
    if own is not None and (people := named_people(own)):
        flagged = sum(one.flagged for one in people)
        said = f"{flagged:,} favour{'s' if flagged == 1 else ''} a side" if flagged else "none favours a side"
        said += f"; {len(programs):,} with signs of a program" if programs else ""
        out = f"; {excluded:,} excluded, not counted" if excluded else ""
        found.append(KeyFigure("People", f"{len(people):,}", f"{said}{out}", bool(flagged or programs)))
    if own is not None and (fit := own.triples.share()) == fit:
        found.append(KeyFigure("Fit together", percent(fit), f"of threes of {study.words.items}"))
    return found


def _commonest(doubts: Doubts) -> str:
    """Say what speaks against most of the doubtful judgments, as it is another thing than disagreement."""
    if not doubts.reasons:
        return ""
    reason, most = max(doubts.reasons.items(), key=lambda one: one[1])
    return f"; {'all' if most == doubts.doubtful else f'{most:,}'} {WHY[Reason(reason)]}"


def _agreement(own: Trust) -> KeyFigure:
    widest = widest_agreement(own)
    if widest is None or widest[0].raw is None:
        return KeyFigure(AGREE, "–", "no pair has two answers")
    best = widest[0]
    asked = count(best.questions, "question")
    if best.questions < FEW:
        return KeyFigure(AGREE, "–", f"{asked} with two answers: too few to say")
    alpha = "" if best.alpha is None else f"; α {alpha_told(best)}"
    low = best.alpha is not None and best.alpha < TENTATIVE
    ends = "" if best.raw_ends is None else f" ({' to '.join(f'{100 * end:.0f}' for end in best.raw_ends)} %)"
    return KeyFigure(AGREE, percent(best.raw), f"same answer by two, on {asked}{ends}{alpha}", low)


def _right(met: int, wrong: int, out: int = 0) -> KeyFigure:
    """Return how many challenges were answered right. out: those of excluded people, who are not counted."""
    without = f"; {out:,} of excluded people left out" if out else ""
    if not met:
        return KeyFigure("Challenges right", "–", f"none was answered{without}")
    many = wrong >= MANY * met
    right = f"{met - wrong:,} of {met:,}{without}"
    return KeyFigure("Challenges right", percent((met - wrong) / met), right, many)


def known_before(study: Study) -> tuple[str, list[KeyFigure]]:
    """Say what is known of a study's judgments before any figure of trust is computed."""

    def read() -> tuple[int, int, int, int]:
        latest = standings.latest(study)
        came = Assignment.objects.filter(task__study=study, assessor__excluded_at=None)
        people = came.order_by().values("assessor").distinct()
        own, out = rates(study).values(), rates_of_excluded(study).values()
        met = sum(one.answers for one in own) - sum(one.answers for one in out)
        wrong = sum(one.wrong for one in own) - sum(one.wrong for one in out)
        return people.count(), latest.board["judgments"] if latest else 0, met, wrong

    found = cache.get_or_set(f"trust-known:{study.pk}", read, KNOWN_SECONDS)
    assert found is not None
    people, judgments, met, wrong = found
    said = f"{count(people, 'person')} gave {count(judgments, 'judgment')}"
    right = f"; {met - wrong:,} of {count(met, 'challenge')} answered right" if met else ""
    figures = [
        KeyFigure(AGREE, "…", "being counted"),
        KeyFigure("Doubtful", "…", f"of {judgments:,} judgments"),
    ]
    figures.append(_right(met, wrong))
    figures.append(KeyFigure(f"{study.words.runs.capitalize()} that move", "…", WITHOUT))
    return f"{said}{right}.", [*figures, KeyFigure("People", f"{people:,}", "judged so far")]
