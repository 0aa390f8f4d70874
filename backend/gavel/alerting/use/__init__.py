"""Alerting on the store: rules are evaluated, news become messages, messages are delivered."""
