"""The assessor's pages: joining, instructions, judging."""
