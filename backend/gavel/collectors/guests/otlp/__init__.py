"""OpenTelemetry: the metrics `system.disk.*` of the hostmetrics receiver, OTLP over HTTP."""
