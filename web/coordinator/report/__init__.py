"""Report of a study: one set of facts as page, Markdown and PDF."""
