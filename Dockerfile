# The mock of the service as an image, for pipelines without Node.js. See docs/testing.md.
#
#   docker build -t certify-mock .
#   docker run --rm --read-only -p 127.0.0.1:4010:4010 certify-mock --seed demo

ARG NODE=22

FROM node:${NODE}-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:${NODE}-slim
COPY LICENSE /opt/certify/
COPY --from=build /build/dist/THIRD-PARTY-LICENCES.md /opt/certify/
COPY --from=build /build/dist/bin /opt/certify/bin
ENV NODE_ENV=production
USER node
EXPOSE 4010
# Any answer will do: with a token it is 401, without the control API 404. This request is not in the request log.
HEALTHCHECK --interval=5s --timeout=3s --start-period=2s CMD ["node", "-e", "fetch('http://127.0.0.1:4010/__mock/health').then(({ status }) => process.exit(status < 500 ? 0 : 1), () => process.exit(1))"]
# Flags of `certify mock` may follow the name of the image.
ENTRYPOINT ["node", "/opt/certify/bin/certify.cjs", "mock", "--host", "0.0.0.0"]
