"""All pages, for assessors, organizers and coordinators, and the access to them."""
