import { isIP } from 'node:net';

interface HostRule {
	/** The name of the host; with a leading dot it means every host below that name. */
	readonly name: string;
	readonly port: string;
}

/**
 * Holds the parsed rules of each list of hosts. Each list is parsed only once, because the profile that has it is used
 * for many calls.
 */
const known = new WeakMap<readonly string[], readonly HostRule[]>();

/**
 * Tells whether a host (`url.host`) matches one entry of a list. An entry is `name`, `name:port` or `*.name`. The
 * wildcard matches one or more labels, never the name itself and never an address. Upper case, a final dot and
 * international spelling are ignored; the port is compared only if the entry has one.
 */
export function isHostAllowed(host: string, hosts: readonly string[]): boolean {
	const asked = readHost(host);
	if (asked === undefined) return false;
	let rules = known.get(hosts);
	if (rules === undefined) known.set(hosts, (rules = hosts.flatMap((text) => readRule(text) ?? [])));
	return rules.some((rule) => isMatch(rule, asked));
}

function isMatch(rule: HostRule, { name, port }: HostRule): boolean {
	// A URL does not contain the default port of its scheme, so a rule with port 443 or 80 also matches a URL without a
	// port.
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
	// The port is read from a URL of an unknown scheme, because a URL of the scheme `http` would leave out port 80.
	const port = URL.parse(`x://${text}`)!.port;
	return { name: url.hostname.replace(/\.$/, ''), port };
}
