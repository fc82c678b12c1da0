# One image for web and worker; compose.yaml says which command runs where.
FROM debian:12-slim

RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        bubblewrap ca-certificates git libseccomp2 procps python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY . .

# The same setup as on any machine; Node.js comes from PyPI. The .env it writes holds a
# secret, and an image must not hold one: the container gets its own from outside.
RUN sh scripts/python.sh -m scripts.setup \
    && grep '^OHB_NODE=' .env > .env.kept && mv .env.kept .env

ENV OHB_BIND=0.0.0.0 OHB_DATA_DIR=/data
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["sh", "scripts/container.sh"]
CMD ["web"]
