"""How cost grows with a study: every page, request and command over studies of two sizes."""

PARTS = ("whole", "pages", "requests", "services", "exports")
