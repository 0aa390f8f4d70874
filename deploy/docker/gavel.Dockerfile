# Everything of Gavel but the proxy: API with the pages, worker, beat and the command line. Build from the repository root.

FROM node:24.11.0-bookworm-slim AS pages
WORKDIR /build
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc ./
RUN npm ci --no-audit --no-fund --omit=dev
COPY frontend ./
RUN npm run build

FROM python:3.13.7-slim-bookworm AS packages
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /build
RUN python -m venv /opt/gavel
COPY backend/requirements.txt backend/requirements.txt
RUN /opt/gavel/bin/pip install --no-deps --require-hashes --requirement backend/requirements.txt
COPY pyproject.toml README.md LICENSE ./
COPY migrations migrations
COPY backend backend
RUN /opt/gavel/bin/pip install --no-deps --no-build-isolation .
COPY scripts/third_party.py scripts/third_party.py
COPY frontend/package-lock.json frontend/package-lock.json
COPY --from=pages /build/node_modules frontend/node_modules
COPY --from=pages /build/dist frontend/dist
RUN /opt/gavel/bin/python scripts/third_party.py

FROM python:3.13.7-slim-bookworm
LABEL org.opencontainers.image.title="Gavel" org.opencontainers.image.licenses="Apache-2.0"
RUN groupadd --gid 10001 gavel \
    && useradd --uid 10001 --gid gavel --no-create-home --home-dir /var/lib/gavel --shell /usr/sbin/nologin gavel \
    && install --directory --owner gavel --group gavel --mode 0700 /var/lib/gavel
COPY --from=packages /opt/gavel /opt/gavel
COPY --from=packages /build/frontend/dist /srv/gavel
ENV PATH=/opt/gavel/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    GAVEL_DATA_DIR=/var/lib/gavel \
    GAVEL_FRONTEND_DIR=/srv/gavel
USER 10001:10001
WORKDIR /var/lib/gavel
VOLUME /var/lib/gavel
CMD ["gavel", "--help"]
