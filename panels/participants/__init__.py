"""Participants: people from panels, from their arrival to the erasure of their ids."""
