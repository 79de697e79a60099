"""Random rankings, levels and judgments for the property tests: small, so that ties and cycles abound."""

from hypothesis import strategies as st

ITEMS = "abcdefghij"

rankings = st.lists(st.sampled_from(ITEMS + "xyz"), unique=True)
levels = st.dictionaries(st.sampled_from(ITEMS), st.sampled_from([-1, 0, 1, 2, 2.5, 3]))
pairs = st.tuples(st.sampled_from(ITEMS), st.sampled_from(ITEMS)).filter(lambda pair: pair[0] != pair[1])
judgments = st.lists(pairs, max_size=40)
ties = st.lists(pairs, max_size=3)
persistences = st.floats(0.01, 0.99)
depths = st.integers(1, 30)
