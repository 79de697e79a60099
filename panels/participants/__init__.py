"""Participants: people of panels from their arrival to the erasure of their ids."""
