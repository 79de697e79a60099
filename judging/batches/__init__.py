"""Batches of questions: drawing, answering, submitting, giving back and closing them."""
