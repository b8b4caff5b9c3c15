# The daemon alone, for whoever is nobody special: no compiler, no npm and no shell as its first process. What it keeps stands
# in the volume /data; the rest of its file system may be read-only (compose.yaml shows how).
#
# Both bases are Debian with Node 24 in the path; scripts/try-image.sh makes them itself where no registry of images is at hand.
# The digest decides which base is used, and the tag tells people what it was; docs/container.md says how to renew both.
ARG BUILD_BASE=node:24-bookworm@sha256:19cd848a0e073d34bd8cd5545a1b6b4d28489b3e3b607366621ced442bd5f6b4
ARG BASE=node:24-bookworm-slim@sha256:235600a8101ab264e117b1768e925532262668dc9b581ef1dd7d96ced463b8e7

# What runs, compiled where that is of use: the cryptography of ssh2, and what loads the library of an HSM.
FROM ${BUILD_BASE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/postinstall.mjs scripts/ssh2-object-wrap.h scripts/
RUN npm ci --omit=dev && rm -rf node_modules/*/build/Release/obj* node_modules/*/build/Release/.deps

FROM ${BASE}
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY config config
COPY formats formats
COPY src src
COPY docs docs
RUN mkdir /data && chown 10001:10001 /data && chmod 700 /data

# Inside a container other machines reach the listeners through published ports only.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=1 \
    TOKENDROP_DATA_DIR=/data \
    TOKENDROP_HTTP_HOST=0.0.0.0 \
    TOKENDROP_SFTP_HOST=0.0.0.0 \
    TOKENDROP_OPS_HOST=0.0.0.0
VOLUME /data
EXPOSE 2022 8080 9090
USER 10001:10001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.TOKENDROP_OPS_PORT || 9090}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--disable-sigusr1", "--max-semi-space-size=16", "--initial-old-space-size=112", "src/main.ts"]
CMD ["serve"]
