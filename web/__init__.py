"""Every page: doors to the rooms for assessors, organizers and coordinators."""
