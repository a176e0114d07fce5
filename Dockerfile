# Each image is a target: docker build --target api -t registry.invalid/mailhook/api:0.1.0 .
FROM node:24.21.0-bookworm-slim AS node

# The manifests alone, so that a change of the code does not install the dependencies again.
FROM node AS manifests
WORKDIR /build
COPY package.json package-lock.json ./
COPY packages/console/package.json packages/console/
COPY packages/core/package.json packages/core/
COPY packages/delivery/package.json packages/delivery/
COPY packages/doctor/package.json packages/doctor/
COPY packages/event-log/package.json packages/event-log/
COPY packages/insight/package.json packages/insight/
COPY packages/platform/package.json packages/platform/
COPY packages/producer/package.json packages/producer/
COPY packages/testing/package.json packages/testing/
COPY scripts/package.json scripts/
COPY services/api/package.json services/api/
COPY services/campaign-batcher/package.json services/campaign-batcher/
COPY services/transactional-notifier/package.json services/transactional-notifier/
# Removes what never runs: TypeScript (an optional peer of a dependency), sources, types, source maps.
RUN printf '%s\n' 'rm -rf package-lock.json node_modules/typescript node_modules/.bin node_modules/bintrees/test' \
    "find node_modules -type f '(' -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' ')' -delete" > /prune.sh

FROM manifests AS worker-dependencies
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund -w @mailhook/transactional-notifier -w @mailhook/campaign-batcher && sh -e /prune.sh

FROM manifests AS api-dependencies
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund -w @mailhook/api && sh -e /prune.sh

FROM manifests AS build
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node node_modules/@typescript/native/bin/tsc -b services/api/tsconfig.build.json services/transactional-notifier/tsconfig.build.json services/campaign-batcher/tsconfig.build.json && find . -path './*/*/dist/*' -name '*.d.ts' -delete
RUN mkdir /event-log
# The command-line tools, in one file.
RUN npx esbuild scripts/mailhook-tools.ts --bundle --platform=node --format=esm --conditions=@mailhook/source --log-level=warning \
    "--banner:js=import { createRequire as requireIn } from 'node:module'; const require = requireIn(import.meta.url);" --outfile=/tools/mailhook.mjs

# No shell, no package manager. To inspect a container: kubectl debug, or docker debug.
FROM gcr.io/distroless/cc-debian12:nonroot AS runtime
COPY --from=node /usr/local/bin/node /usr/local/bin/node
LABEL org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production
# Owned by root: the process can read its code and change none of it.
WORKDIR /app
# By number, because Kubernetes cannot check by a name that the user is not root.
USER 1000:1000

FROM runtime AS tools
LABEL org.opencontainers.image.title="mailhook-tools" \
      org.opencontainers.image.description="Mailhook: preflight, doctor, a receiver to try out, test events, a mailbox in words"
COPY --from=build /tools ./
ENTRYPOINT ["node", "mailhook.mjs"]
CMD ["--help"]

FROM runtime AS worker
COPY --from=worker-dependencies /build ./
COPY --from=build /build/packages/core/dist packages/core/dist
COPY --from=build /build/packages/platform/dist packages/platform/dist
COPY --from=build /build/packages/delivery/dist packages/delivery/dist
COPY --from=build /build/packages/insight/dist packages/insight/dist
COPY packages/delivery/src/mailbox/lua packages/delivery/src/mailbox/lua

FROM worker AS transactional-notifier
LABEL org.opencontainers.image.title="mailhook-transactional-notifier" \
      org.opencontainers.image.description="Mailhook: posts single notifications"
COPY --from=build /build/services/transactional-notifier/dist services/transactional-notifier/dist
EXPOSE 3101
CMD ["node", "services/transactional-notifier/dist/main.js"]

FROM worker AS campaign-batcher
LABEL org.opencontainers.image.title="mailhook-campaign-batcher" \
      org.opencontainers.image.description="Mailhook: posts batches of campaign events"
COPY --from=build /build/services/campaign-batcher/dist services/campaign-batcher/dist
EXPOSE 3102
CMD ["node", "services/campaign-batcher/dist/main.js"]

FROM runtime AS api
LABEL org.opencontainers.image.title="mailhook-api" \
      org.opencontainers.image.description="Mailhook: REST API and event intake"
COPY --from=api-dependencies /build ./
COPY --from=build /build/packages/core/dist packages/core/dist
COPY --from=build /build/packages/platform/dist packages/platform/dist
COPY --from=build /build/packages/delivery/dist packages/delivery/dist
COPY --from=build /build/packages/event-log/dist packages/event-log/dist
COPY --from=build /build/packages/insight/dist packages/insight/dist
COPY --from=build /build/packages/doctor/dist packages/doctor/dist
COPY --from=build /build/packages/console/dist packages/console/dist
COPY packages/console/assets packages/console/assets
COPY packages/delivery/src/mailbox/lua packages/delivery/src/mailbox/lua
COPY --from=build /build/services/api/dist services/api/dist
COPY docs/protocol.md docs/runbook.md docs/
COPY docs/guides docs/guides
# A volume that is mounted here belongs to the user of the image.
COPY --from=build --chown=1000:1000 /event-log /event-log
EXPOSE 3000 3100
CMD ["node", "services/api/dist/main.js"]
