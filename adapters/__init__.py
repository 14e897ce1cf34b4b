"""One folder a chat platform: read (event to Inbound), write (Reply to payload), serve (the loop)."""
