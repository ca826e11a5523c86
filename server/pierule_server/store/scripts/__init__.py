"""The Lua scripts that run inside the store, one file each."""
