"""Takes no action back, whatever the ply is."""

import plain_client


class Broken(plain_client.Client):
    def change(self, state):
        if self.state and len(state["actions"]) < len(self.state["actions"]):
            state = {**state, "actions": self.state["actions"]}
        super().change(state)


plain_client.main(Broken)
