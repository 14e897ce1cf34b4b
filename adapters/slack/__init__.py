"""Slack as a chat platform: Socket Mode or HTTP, one workspace, through slack-bolt and slack-sdk."""
