"""Reads a record and writes it again before it computes the chain."""

import json

import plain_client


class Broken(plain_client.Client):
    def follows(self, state, event):
        record = json.dumps(json.loads(event["record"]), separators=(",", ":"), ensure_ascii=False)
        return super().follows(state, {**event, "record": record})


plain_client.main(Broken)
