# Quarry in one image: server, CLI, embedded database, console.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY packages ./packages
COPY apps ./apps
COPY tests ./tests
COPY tools ./tools
COPY sample ./sample
COPY docs ./docs
RUN node tools/ensure-installed.mjs && npm prune --omit=dev --ignore-scripts

FROM node:22-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production QUARRY_HOST=0.0.0.0 QUARRY_PORT=7700 QUARRY_DATA_DIR=/data
COPY --from=build --chown=node:node /app /app
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 7700
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:7700/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/server.js"]
