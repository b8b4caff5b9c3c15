// Writes the mail that tells of an event, and the one that tells of an endpoint that was disabled.

import { tameText } from '../../base/mail/foreign-text.ts';
import type { Mail } from '../../base/mail/mail.ts';
import { EVENT_TYPES, type EventName, isEventName } from '../../base/outbox/event-types.ts';
import { html } from '../../base/pages/html.ts';

export function eventMail(to: string, from: string, body: string): Mail {
	const { type, timestamp, data } = JSON.parse(body) as {
		readonly type: string;
		readonly timestamp: string;
		readonly data: Readonly<Record<string, unknown>>;
	};
	const { account, ...others } = data;
	const facts = Object.entries(others).filter(([, value]) => value !== null);
	const summary = isEventName(type) ? EVENT_TYPES[type satisfies EventName].summary : type;
	const lines = facts.map(([name, value]) => `${name}: ${tameText(String(value))}`);
	const head = [`${summary} (${type})`, `Account ${tameText(String(account))}, ${timestamp}`];
	return letter({ to, from, subject: `${type}: ${tameText(String(account))}`, head, lines });
}

export function disabledMail(to: string, from: string, { name, reason }: { name: string; reason: string }): Mail {
	const head = [
		`The endpoint ${tameText(name)} gets no more events: ${tameText(reason)}.`,
		'After the receiver is repaired, put the endpoint again, and have the events replayed that it has missed.',
	];
	return letter({ to, from, subject: `Endpoint ${tameText(name)} is disabled`, head, lines: [] });
}

function letter(parts: {
	readonly to: string;
	readonly from: string;
	readonly subject: string;
	readonly head: readonly string[];
	readonly lines: readonly string[];
}): Mail {
	const { to, from, subject, head, lines } = parts;
	const paragraphs = head.map((text) => html`<p>${text}</p>\n`);
	const items = lines.map((text) => html`<li>${text}</li>\n`);
	return {
		to: { address: to },
		from: { address: from },
		subject,
		text: `${[...head, ...(lines.length > 0 ? [lines.join('\n')] : [])].join('\n\n')}\n`,
		html: String(html`${paragraphs}<ul>${items}</ul>`),
		language: 'en',
	};
}
