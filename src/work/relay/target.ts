// Decides where a call goes. The target must be an absolute URL at a host that the profile allows, without a card
// number in it.

import { urlCardNumberProblem } from '../../base/card/spelling/clear-text.ts';
import { badInput, type ServiceError } from '../../base/errors.ts';
import { isHostAllowed } from '../../base/outbound/allowed-hosts.ts';
import type { Profile } from './profiles/profile.ts';
import type { OutgoingCard } from './selectors/selectors.ts';
import { fillText } from './selectors/text.ts';

export interface TargetQuestion {
	readonly profile: Profile;
	/** The URL that the caller gives; if absent, the URL of the profile is used. */
	readonly targetUri?: string;
	readonly environment: 'sandbox' | 'production';
	/** The cards that fill placeholders in the URL, if the profile allows card data there. */
	readonly cards?: readonly OutgoingCard[];
	/** True for presets. They never put a card into a request, so if they name no host, any public host is allowed. */
	readonly isOpen?: boolean;
}

/**
 * @throws ServiceError `bad-input-data` (spec §7.4) if a call must not go to this URL; it names the parameter and never
 * quotes the URL
 */
export function getTarget({ profile, targetUri, environment, cards, isOpen }: TargetQuestion): URL {
	const template = targetUri || profile.targetUri;
	if (!template) throw problem('is required: neither the call nor the profile names one');
	const url = parse(withCards(template, profile, cards));
	if (environment === 'production' && url.protocol !== 'https:') throw problem('expected https');
	if (!isAllowed(url, profile, environment, isOpen ?? false)) throw problem('the profile does not allow this host');
	if (!profile.cardInUri && urlCardNumberProblem(url.href) !== undefined) {
		throw problem('looks as if it contained a card number, which the profile does not allow');
	}
	return url;
}

/** Puts cards into the path and query of a URL only, because a host name would be sent to name servers. */
function withCards(template: string, profile: Profile, cards: readonly OutgoingCard[] | undefined): string {
	if (!template.includes('{{') || !profile.cardInUri || !cards) return template;
	const [, origin, rest] = /^(https?:\/\/[^/?#{]*)([/?].*)$/is.exec(template) ?? [];
	if (origin === undefined) throw problem('placeholders are only allowed in the path and the query');
	return origin + fillText(rest, cards, encodeURIComponent);
}

function parse(text: string): URL {
	if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) throw problem('expected an absolute http or https address');
	const url = new URL(text);
	if (url.username !== '' || url.password !== '') throw problem('may not hold a user name or password');
	if (url.port === '0') throw problem('expected a port from 1 to 65535');
	return url;
}

function isAllowed(url: URL, profile: Profile, environment: TargetQuestion['environment'], isOpen: boolean): boolean {
	const own = profile.targetUri && originHost(profile.targetUri);
	if (!own && profile.hosts.length === 0) return isOpen || environment === 'sandbox';
	return url.host === own || isHostAllowed(url.host, profile.hosts);
}

function originHost(text: string): string | undefined {
	const origin = /^https?:\/\/[^/?#]*/i.exec(text)?.[0];
	return origin !== undefined && URL.canParse(origin) ? new URL(origin).host : undefined;
}

function problem(what: string): ServiceError {
	return badInput('targetUri', what);
}
