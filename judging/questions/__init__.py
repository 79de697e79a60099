"""Questions: which a study asks, its challenges, the texts that go with them, and how long they take."""
