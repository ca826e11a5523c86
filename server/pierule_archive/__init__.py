"""The archive: every finished game in a database, kept forever.

Nodes write each game once, in an order that everybody can follow. Running games are in the store
(`pierule_server.store`), which forgets a room only after the archive has it.
"""
