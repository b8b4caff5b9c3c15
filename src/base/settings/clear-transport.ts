// Finds settings with which production would send or accept data in clear. Loopback addresses and Unix sockets are
// allowed, because their data stays on the machine.

import { isIPv4 } from 'node:net';
import { findBucket } from './drop-settings.ts';
import { readPostgresUrl } from './postgres-url.ts';

interface Transport {
	readonly environment: string;
	readonly databaseUrl: string | null;
	readonly http: { readonly host: string; readonly tlsCertFile: string | null };
	readonly ops: { readonly host: string };
	readonly audit: { readonly syslogUrl: string | null; readonly webhookUrl: string | null };
	readonly gateway: { readonly stripeBaseUrl: string; readonly adyenBaseUrl: string };
	readonly keys: {
		readonly awsKms: { readonly endpoint: string | null };
		readonly transit: { readonly url: string | null };
	};
	readonly mail: { readonly host: string | null; readonly tls: string };
	readonly drops: { readonly store: string | null };
	readonly allowPlaintextDatabase: boolean;
	readonly allowPlaintextHttp: boolean;
	readonly allowPlaintextOps: boolean;
}

interface ClearTransport {
	readonly key: string;
	readonly value: string;
	readonly rule: string;
	readonly example: string;
}

/**
 * Returns every way in which production settings would send data in clear.
 * @param defaultHost is the host to which PostgreSQL's client connects if the URL names none
 */
export function findClearTransport(settings: Transport, defaultHost: string): ClearTransport[] {
	if (settings.environment !== 'production') return [];
	const { databaseUrl, http, ops, gateway, audit, keys, mail, drops } = settings;
	const found: ClearTransport[] = [];
	for (const name of ['stripeBaseUrl', 'adyenBaseUrl'] as const) {
		if (/^https:/i.test(gateway[name])) continue;
		const rule = 'https in production, since card numbers go there';
		found.push({ key: `gateway.${name}`, value: gateway[name], rule, example: 'https://gateway.example.com' });
	}
	for (const [name, scheme] of [['syslogUrl', 'syslog+tls'] as const, ['webhookUrl', 'https'] as const]) {
		const value = audit[name];
		if (value === null || value.toLowerCase().startsWith(`${scheme}:`) || isLoopback(new URL(value).hostname)) continue;
		const rule = `${scheme} in production, or a loopback address, since entries of the audit trail go there`;
		found.push({ key: `audit.${name}`, value, rule, example: `${scheme}://logs.example.com:6514` });
	}
	const endpoint = drops.store === null ? undefined : findBucket(drops.store)?.endpoint;
	if (endpoint?.startsWith('http:') && !isLoopback(new URL(endpoint).hostname)) {
		const rule = 'an endpoint with https in production, or a loopback address, so that nobody between changes files';
		const example = 's3://tokendrop-files/production?endpoint=https://s3.example.com';
		found.push({ key: 'drops.store', value: drops.store!, rule, example });
	}
	const services = { 'keys.awsKms.endpoint': keys.awsKms.endpoint, 'keys.transit.url': keys.transit.url };
	for (const [key, value] of Object.entries(services)) {
		if (value === null || /^https:/i.test(value) || isLoopback(new URL(value).hostname)) continue;
		const rule = 'https in production, or a loopback address, since the environment key goes there';
		found.push({ key, value, rule, example: 'https://vault.example.com:8200' });
	}
	if (mail.host !== null && mail.tls === 'none' && !isLoopback(mail.host)) {
		const rule = 'starttls or implicit in production, or a loopback address, since links to cards go there';
		found.push({ key: 'mail.tls', value: mail.tls, rule, example: 'starttls' });
	}
	if (databaseUrl !== null && !settings.allowPlaintextDatabase && isClearDatabase(databaseUrl, defaultHost)) {
		const rule = `TLS to PostgreSQL in production, with sslmode; or ${consent('Database')}`;
		const example = 'postgres://tokendrop@db.internal:5432/tokendrop?sslmode=verify-full';
		found.push({ key: 'databaseUrl', value: databaseUrl, rule, example });
	}
	if (!isLoopback(http.host) && http.tlsCertFile === null && !settings.allowPlaintextHttp) {
		const rule = `http.tlsCertFile and http.tlsKeyFile, or a loopback address, in production; or ${consent('Http')}`;
		found.push({ key: 'http.host', value: http.host, rule, example: '127.0.0.1' });
	}
	if (!isLoopback(ops.host) && !settings.allowPlaintextOps) {
		const rule = `a loopback address in production, since it has no TLS and asks for no credential; or ${consent('Ops')}`;
		found.push({ key: 'ops.host', value: ops.host, rule, example: '127.0.0.1' });
	}
	return found;
}

function consent(what: 'Database' | 'Http' | 'Ops'): string {
	return `allowPlaintext${what}: true (TOKENDROP_ALLOW_PLAINTEXT_${what.toUpperCase()}=true)`;
}

/**
 * The values of `sslmode` that protect a connection. `prefer` and `no-verify` do not, because they accept any server
 * that answers.
 */
const CHECKED_MODES = new Set(['require', 'verify-ca', 'verify-full']);

function isClearDatabase(url: string, defaultHost: string): boolean {
	if (url.startsWith('sqlite:')) return false;
	return readPostgresUrl(url).hosts.some((host) => isClearHost(host.url, defaultHost));
}

function isClearHost(url: string, defaultHost: string): boolean {
	const { hostname, searchParams } = new URL(url);
	// PostgreSQL's client uses the last value of a parameter that the URL repeats. A parameter `host` overrides the host
	// that stands before the path.
	const last = (name: string) => searchParams.getAll(name).at(-1);
	const host = last('host') || decodeURIComponent(hostname) || defaultHost;
	if (host.startsWith('/') || isLoopback(host)) return false;
	const mode = last('sslmode');
	return mode === undefined ? !['true', '1'].includes(last('ssl') ?? '') : !CHECKED_MODES.has(mode);
}

function isLoopback(host: string): boolean {
	const name = host.toLowerCase().replace(/^\[|\]$/g, '');
	const address = name.replace(/^::ffff:/, '');
	return name === 'localhost' || name === '::1' || (isIPv4(address) && address.startsWith('127.'));
}
