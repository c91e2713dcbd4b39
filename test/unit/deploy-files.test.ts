/** docker-compose.yml and deploy/ match the settings and files that exist. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { settingsProblems } from "../../scripts/settings/check.ts";
import { varNames } from "../../scripts/server-vars.ts";
import { newKey, ownersText } from "../support/owners.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

it("docker-compose.yml sets what a container needs to start, and trusts its own network alone", () => {
  const compose = read("docker-compose.yml");
  const proxy = /TRUSTED_PROXY: '(.+)'/.exec(compose)?.[1] ?? "";
  const settings = {
    PUBLIC_URL: "https://baton.example",
    OWNERS: ownersText({ acme: [newKey()] }),
    AGENTS: "[]",
    TRUSTED_PROXY: proxy,
  };
  for (const name of Object.keys(settings)) expect(compose).toContain(`      ${name}: `);
  expect(settingsProblems(settings, "0.0.0.0")).toEqual([]);
  const [subnet] = JSON.parse(proxy).from;
  expect(compose).toContain(`subnet: ${subnet}`);
  const mounted = /- \.\/(\S+):\/etc\/caddy\/Caddyfile/.exec(compose)?.[1] ?? "";
  expect(existsSync(join(ROOT, mounted))).toBe(true);
  // Only Caddy has ports, so that nothing but Caddy can reach the server.
  expect(compose.match(/ports:/g)).toHaveLength(1);
});

it("deploy/nginx.conf sets the caller's address itself, proxies sockets and keeps paths out of logs", () => {
  const nginx = read("deploy/nginx.conf");
  const proxy = /TRUSTED_PROXY='(.+)'/.exec(nginx)?.[1] ?? "";
  expect(settingsProblems({ TRUSTED_PROXY: proxy }, "127.0.0.1")).toEqual([]);
  expect(nginx).toContain(`proxy_set_header ${JSON.parse(proxy).header} $remote_addr;`);
  for (const line of ["proxy_buffering off;", "access_log off;", "Upgrade $http_upgrade;"]) {
    expect(nginx).toContain(line);
  }
});

it("deploy/baton.service starts the server, and does not restart it after a wrong setting", () => {
  const unit = read("deploy/baton.service");
  const script = /ExecStart=\S+ (\S+) /.exec(unit)?.[1] ?? "";
  expect(existsSync(join(ROOT, script))).toBe(true);
  expect(unit).toContain("RestartPreventExitStatus=2");
  const named = /^# ([A-Z_, ]+):/m.exec(unit)?.[1]?.split(", ") ?? [];
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !varNames().includes(name))).toEqual([]);
});
