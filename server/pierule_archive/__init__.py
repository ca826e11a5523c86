"""The archive: every finished game in a database, kept for good.

Nodes write games to it, once and in an order that everybody can follow; nothing else changes it.
What runs is in the store (`pierule_server.store`), which forgets a room only after the archive has
it.
"""
