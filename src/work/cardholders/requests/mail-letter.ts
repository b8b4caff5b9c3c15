// Writes a mail with one button, as plain text and as HTML that mail programs understand: tables, and styles in the
// elements themselves.

import { quoteText, tameText } from '../../../base/mail/foreign-text.ts';
import type { Mail, Mailbox } from '../../../base/mail/mail.ts';
import { html } from '../../../base/pages/html.ts';
import { direction, fillText, languageOf, textsOf } from '../../../base/pages/languages/index.ts';
import type { CardRequest } from './card-request.ts';
import type { MailStyle } from './mail-style.ts';
import { shownTime } from './shown-time.ts';

/** Holds what all letters from one account to one person have in common. */
export interface LetterHead {
	readonly to: Mailbox;
	/** The user ID of the account. It is shown as the sender if the mail style of the account has no name. */
	readonly senderId: string;
	readonly style: MailStyle;
	/** The sender's address from the settings. It is used if the mail style of the account has none. */
	readonly from: string;
	readonly language: string | undefined;
}

export interface Letter {
	readonly subject: string;
	/** The paragraphs before the button; `after` has those after it. */
	readonly before: readonly string[];
	readonly button?: { readonly label: string; readonly url: string };
	readonly after: readonly string[];
}

const COLOUR = '#1f5fbf';

/**
 * Returns the mail for a letter. Placeholders in its texts are filled with `values` and the name of the sender. What others
 * have written, the names of sender and recipient, stands in quotation marks, and the mail says so.
 */
export function letterMail(
	head: LetterHead,
	letter: Letter,
	values: Readonly<Record<string, string | number>> = {},
): Mail {
	const { to, style, from, language } = head;
	const sender = quoteText(style.fromName ?? head.senderId);
	const fill = (text: string) => fillText(text, { sender, ...values });
	const { greeting, greetingNameless, quoted } = textsOf(language).mail;
	const first = to.name === undefined ? greetingNameless : fillText(greeting, { name: quoteText(to.name) });
	const before = [first, ...letter.before.map(fill)];
	const after = [...letter.after.map(fill), quoted];
	const button = letter.button && { ...letter.button, label: fill(letter.button.label) };
	return {
		to: { address: to.address, ...(to.name !== undefined && { name: tameText(to.name) }) },
		from: { name: style.fromName, address: style.fromAddress ?? from },
		...(style.replyTo !== undefined && { replyTo: { address: style.replyTo } }),
		subject: fill(letter.subject),
		text: `${[...before, ...(button ? [button.url] : []), ...after].join('\n\n')}\n`,
		html: page({ before, button, after, style, sender, language }),
		language: languageOf(language),
	};
}

interface Parts extends Pick<Letter, 'before' | 'after' | 'button'> {
	readonly style: MailStyle;
	readonly sender: string;
	readonly language: string | undefined;
}

function page({ before, after, button, style, sender, language }: Parts): string {
	const colour = style.colour ?? COLOUR;
	const logo =
		style.logoUrl !== undefined &&
		html`<p style="margin:0 0 24px"><img src="${style.logoUrl}" alt="${sender}" height="48" style="height:48px;border:0"></p>`;
	const paragraphs = (texts: readonly string[]) => texts.map((text) => html`<p style="margin:0 0 16px">${text}</p>\n`);
	const link =
		button &&
		html`<p style="margin:24px 0"><a href="${button.url}" style="display:inline-block;padding:12px 20px;border-radius:8px;text-decoration:none;font-weight:bold;color:${inkOn(colour)};background:${colour}">${button.label}</a></p>
<p style="margin:0 0 16px;font-size:13px;word-break:break-all">${button.url}</p>
`;
	const body = html`<html lang="${languageOf(language)}" dir="${direction(language)}">
<head><meta charset="utf-8"></head>
<body style="margin:0;padding:24px;background:#f4f5f7">
<table role="presentation" align="center" width="100%" style="max-width:560px;margin:0 auto;background:#ffffff;border-radius:8px"><tr>
<td style="padding:32px;font:16px/1.5 sans-serif;color:#1d2330">
${logo}${paragraphs(before)}${link}${paragraphs(after)}</td>
</tr></table>
</body>
</html>
`;
	return `<!doctype html>\n${body}`;
}

/** Returns black or white, whichever is easier to read on a colour (relative luminance of WCAG). */
function inkOn(colour: string): string {
	const [red, green, blue] = [1, 3, 5].map((at) => {
		const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
		return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}

/** Returns the mail that asks a cardholder for a card or a CVV, or reminds them. The request must have a mail address. */
export function requestMail(
	request: CardRequest,
	parts: { readonly style: MailStyle; readonly from: string; readonly isReminder?: boolean },
): Mail {
	const { style, from, isReminder = false } = parts;
	const { language, senderId, recipient, kind, url } = request;
	const texts = textsOf(language).mail;
	const isCvv = kind === 'cvv';
	const subject = isCvv ? texts.requestCvvSubject : texts.requestSubject;
	return letterMail(
		{ to: { name: recipient.name, address: recipient.email! }, senderId, style, from, language },
		{
			subject: isReminder ? texts.reminderSubject : subject,
			before: [isReminder ? texts.reminderText : isCvv ? texts.requestCvvText : texts.requestText],
			button: { label: isCvv ? texts.requestCvvButton : texts.requestButton, url },
			after: [texts.expires, texts.never, texts.unexpected],
		},
		{ number: `…${request.lastDigits ?? ''}`, time: shownTime(request.expiresAt, language) },
	);
}
