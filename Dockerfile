# Baton as a container: the Worker on workerd, data in /data. See docs/guides/self-hosting.md.
#   docker build -t baton .
#   docker run -d --name baton -p 127.0.0.1:8787:8787 -v baton-data:/data -e PUBLIC_URL=https://baton.example -e OWNERS -e 'AGENTS=[]' baton

# Debian, because workerd needs glibc; the same Node as in package.json.
FROM node:24.21.0-bookworm-slim

WORKDIR /opt/baton

# First what changes seldom, so that a change of the sources installs nothing again.
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund

# What .dockerignore leaves.
COPY . .

# The documentation, built here because what runs may write nothing but its data.
RUN node scripts/site/main.ts && rm -rf node_modules/.cache/baton-site

# The user of the base image; it owns the data and nothing else.
RUN mkdir -p /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8787

HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["node", "scripts/health.mjs"]

# The server itself is process 1, so that `docker stop` reaches it: SIGTERM, then up to 3 seconds to end.
CMD ["node", "scripts/serve.ts", "--host", "0.0.0.0", "--port", "8787", "--data", "/data"]
