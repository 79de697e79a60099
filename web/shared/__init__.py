"""What pages of all desks share: access, tokens, words, figures, typesetting, streams."""
