"""Pages of the people who judge: invitations, lists, one person, mails, quality."""
