"""Programs of the repository: starting, testing, pinning packages, taking and painting pictures."""
