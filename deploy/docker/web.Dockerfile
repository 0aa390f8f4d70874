# The proxy in front of the API: TLS, HTTP/2 and /3, compression. Build from the repository root.

FROM caddy:2.10.2-alpine
LABEL org.opencontainers.image.title="Gavel proxy" org.opencontainers.image.licenses="Apache-2.0"
# A copy carries no file capabilities; the original may bind low ports and so refuses to start without capabilities.
RUN cp /usr/bin/caddy /usr/local/bin/caddy \
    && mkdir -p /var/lib/caddy \
    && chown 10001:10001 /var/lib/caddy
COPY deploy/docker/Caddyfile /etc/caddy/Caddyfile
ENV XDG_DATA_HOME=/var/lib/caddy XDG_CONFIG_HOME=/tmp
USER 10001:10001
VOLUME /var/lib/caddy
CMD ["/usr/local/bin/caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
