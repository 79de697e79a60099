"""Questions of a study, its challenges, their texts, and how long they take."""
