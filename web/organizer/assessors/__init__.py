"""Pages about assessors: invitations, the list, one person, mails."""
