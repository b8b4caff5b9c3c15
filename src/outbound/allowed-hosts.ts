import { isIP } from 'node:net';

interface HostRule {
	/** The host itself, or with a leading dot every host below it. */
	readonly name: string;
	readonly port: string;
}

/** Profiles live longer than calls: their lists are read once. */
const known = new WeakMap<readonly string[], readonly HostRule[]>();

/**
 * Whether a host (`url.host`) is one of a list of `name`, `name:port` and `*.name`. A wildcard stands for one or more
 * labels, never for the name itself, and never for an address. Upper case, a final dot and international spelling do
 * not matter; a port matters where the list has one.
 */
export function isHostAllowed(host: string, hosts: readonly string[]): boolean {
	const asked = readHost(host);
	if (asked === undefined) return false;
	let rules = known.get(hosts);
	if (rules === undefined) known.set(hosts, (rules = hosts.flatMap((text) => readRule(text) ?? [])));
	return rules.some((rule) => isMatch(rule, asked));
}

function isMatch(rule: HostRule, { name, port }: HostRule): boolean {
	// A URL does not say the port of its scheme.
	if (rule.port !== '' && rule.port !== port && !(port === '' && ['443', '80'].includes(rule.port))) return false;
	if (rule.name === name) return true;
	return rule.name.startsWith('.') && name.endsWith(rule.name) && isIP(name) === 0;
}

function readRule(text: string): HostRule | undefined {
	const isWildcard = text.startsWith('*.');
	const rule = readHost(isWildcard ? text.slice(2) : text);
	return rule && isWildcard ? { ...rule, name: `.${rule.name}` } : rule;
}

function readHost(text: string): HostRule | undefined {
	if (/[\s/?#@\\%*]/.test(text)) return;
	const url = URL.parse(`x://${text}`) && URL.parse(`http://${text}/`);
	if (!url) return;
	// `http` hides its own port, `x` no port.
	const port = URL.parse(`x://${text}`)!.port;
	return { name: url.hostname.replace(/\.$/, ''), port };
}
