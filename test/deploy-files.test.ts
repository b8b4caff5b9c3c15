// Checks that the files for containers and systemd fit the program that they start.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { parse } from 'yaml';
import packageJson from '../package.json' with { type: 'json' };
import { readPostgresUrl } from '../src/base/settings/postgres-url.ts';
import { leaves } from '../src/base/settings/schema.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const dockerfile = read('Dockerfile');
const unit = read('deploy/systemd/tokendrop.service');
const compose = parse(read('compose.yaml'), { merge: true });
const failover = parse(read('deploy/patroni/compose.yaml'), { merge: true });

/** The flags of Node that `npm start` gives. */
const flags = packageJson.scripts.start.split(' ').filter((word) => word.startsWith('--'));

test('container and systemd start the daemon with the flags of npm start', (t) => {
	const entry = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)![1]);
	t.deepEqual(entry, ['node', ...flags, 'src/main.ts']);
	t.regex(unit, new RegExp(`^ExecStart=/usr/bin/node ${flags.join(' ')} src/main\\.ts .*serve$`, 'm'));
	t.regex(dockerfile, /^USER 10001:10001$/m);
	t.regex(dockerfile, /^STOPSIGNAL SIGTERM$/m);
});

test('every setting they name exists', (t) => {
	const others = ['compose.yaml', 'deploy/patroni/compose.yaml', 'docs/container.md'].map(read);
	const texts = [dockerfile, unit, ...others].join('\n');
	const known = [...leaves.map(({ variable }) => variable), 'TOKENDROP_MASTER_KEY'];
	const named = [...new Set(texts.match(/\bTOKENDROP_[A-Z_]*[A-Z]\b/g))];
	t.true(named.length > 8);
	t.deepEqual(
		named.filter((name) => !known.includes(name)),
		[],
	);
});

test('the image gets what the daemon reads at run time, and no more', (t) => {
	const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, paths]) => paths.split(' '));
	const ignored = read('.dockerignore').split('\n');
	for (const path of copied)
		t.true(ignored.includes(`!${path.replace(/\/$/, '')}`) || path.endsWith('postinstall.mjs'), path);
	for (const path of ['src', 'formats', 'config', 'docs']) t.true(copied.includes(path), path);
	t.false(copied.includes('test'));
});

test('compose starts the daemon after the schema, with nothing of its own to write but /data and /tmp', (t) => {
	const { tokendrop, migrate, database } = compose.services;
	t.deepEqual(tokendrop.depends_on.migrate, { condition: 'service_completed_successfully' });
	t.deepEqual(migrate.depends_on.database, { condition: 'service_healthy' });
	for (const service of [tokendrop, migrate]) {
		t.like(service, { read_only: true, cap_drop: ['ALL'] });
		t.deepEqual(service.volumes, ['data:/data', 'secrets:/secrets:ro']);
	}
	t.is(database.environment.POSTGRES_PASSWORD_FILE, tokendrop.environment.TOKENDROP_DATABASE_PASSWORD_FILE);
	t.true(Object.values(tokendrop.ports as string[]).every((port) => port.startsWith('127.0.0.1:')));
});

test('after a reboot everything starts again that is not done with its work', (t) => {
	const services = Object.entries(compose.services as Record<string, { restart?: string }>);
	const waitedFor = services.flatMap(([, service]) =>
		Object.entries((service as { depends_on?: Record<string, { condition: string }> }).depends_on ?? {}),
	);
	const done = waitedFor
		.filter(([, { condition }]) => condition === 'service_completed_successfully')
		.map(([name]) => name);
	t.deepEqual([...new Set(done)].sort(), ['migrate', 'password']);
	for (const [name, { restart }] of services) t.is(restart, done.includes(name) ? undefined : 'unless-stopped', name);
	t.regex(unit, /^Restart=on-failure$/m);
	t.regex(unit, /^WantedBy=multi-user\.target$/m);
});

test('every image of others is named by tag and digest', (t) => {
	const dockerfiles = [...dockerfile.matchAll(/^(?:FROM|ARG \w*BASE=) *(\S+)|^# *syntax=(\S+)/gm)].map(
		([, image, syntax]) => image ?? syntax,
	);
	const services = Object.values(compose.services as Record<string, { image: string; build?: string }>);
	const named = [...dockerfiles, ...services.filter(({ build }) => !build).map(({ image }) => image)];
	const foreign = named.filter((image) => !image.includes('${') && !image.startsWith('=') && image !== '');
	t.is(foreign.length, 3, foreign.join(' '));
	for (const image of foreign) t.regex(image, /^[a-z0-9./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
	// Scripts make their bases themselves, or name none.
	for (const script of readdirSync(join(root, 'scripts')).filter((name) => name.endsWith('.sh')))
		t.notRegex(read(`scripts/${script}`), /\b(?:node|debian|postgres|alpine):[\w.-]+(?!@sha256:)(?:\s|$)/m, script);
});

test('the daemon of the servers that fail over is told of each of them', (t) => {
	const { services } = failover;
	const servers = Object.entries<{ image?: string; environment?: Record<string, string> }>(services).filter(
		([, { environment }]) => environment?.PATRONI_NAME !== undefined,
	);
	t.deepEqual(
		servers.map(([name]) => name),
		['db1', 'db2'],
	);
	for (const [name, { environment }] of servers) {
		t.like(environment, {
			PATRONI_NAME: name,
			PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${name}:5432`,
			PATRONI_RESTAPI_CONNECT_ADDRESS: `${name}:8008`,
		});
	}
	for (const { environment } of [services.migrate, services.tokendrop]) {
		const { hosts, mustWrite } = readPostgresUrl(environment.TOKENDROP_DATABASE_URL);
		t.deepEqual(
			hosts.map(({ name }) => name),
			servers.map(([name]) => `${name}:5432`),
		);
		t.true(mustWrite);
	}
	t.deepEqual(services.tokendrop.depends_on.migrate, { condition: 'service_completed_successfully' });
	// No image of others is used but the one of compose.yaml, by its digest.
	t.deepEqual(
		Object.values<{ image?: string }>(services).flatMap(({ image }) => image ?? []),
		['tokendrop', 'tokendrop'],
	);
	t.true(read('deploy/patroni/Dockerfile').includes(`FROM ${compose.services.database.image}\n`));
	const node = parse(read('deploy/patroni/patroni.yml'));
	t.true(node.bootstrap.dcs.synchronous_mode);
	t.true(read('deploy/patroni/Dockerfile').includes('COPY patroni.yml make-database.sh /etc/patroni/'));
	t.is(node.bootstrap.post_init, '/etc/patroni/make-database.sh');
});
