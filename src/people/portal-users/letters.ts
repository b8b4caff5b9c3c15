// Writes the mails that the portal sends, in every language in which the portal can be shown.

import type { Mail } from '../../base/mail/mail.ts';
import { html } from '../../base/pages/html.ts';

export type PortalLetter = 'invitation' | 'forgotten';

interface LetterTexts {
	readonly invitation: { readonly subject: string; readonly text: string };
	readonly forgotten: { readonly subject: string; readonly text: string };
	readonly button: string;
	readonly until: string;
	/** Said to whoever signs in with another name than their mail address. */
	readonly ownName: string;
	readonly unexpected: string;
}

const TEXTS: Readonly<Record<string, LetterTexts>> = {
	en: {
		invitation: {
			subject: 'Your access to Tokendrop',
			text: 'You can now use the portal of Tokendrop. Set a password to begin.',
		},
		forgotten: { subject: 'Set a new password', text: 'Here you can set a new password for the portal of Tokendrop.' },
		button: 'Set a password',
		until: 'The link works once, until {time}.',
		ownName:
			'This address already signs in to another account. For this one you have another name to sign in with, which the page shows.',
		unexpected: 'If you did not expect this mail, leave the link alone. Nothing changes then.',
	},
	de: {
		invitation: {
			subject: 'Ihr Zugang zu Tokendrop',
			text: 'Sie können jetzt das Portal von Tokendrop benutzen. Legen Sie zuerst ein Passwort fest.',
		},
		forgotten: {
			subject: 'Neues Passwort festlegen',
			text: 'Hier können Sie ein neues Passwort für das Portal von Tokendrop festlegen.',
		},
		button: 'Passwort festlegen',
		until: 'Der Link funktioniert einmal, bis {time}.',
		ownName:
			'Mit dieser Adresse melden Sie sich schon bei einem anderen Konto an. Für dieses haben Sie einen anderen Anmeldenamen, den die Seite zeigt.',
		unexpected: 'Wenn Sie diese Mail nicht erwartet haben, benutzen Sie den Link nicht. Dann ändert sich nichts.',
	},
	fr: {
		invitation: {
			subject: 'Votre accès à Tokendrop',
			text: 'Vous pouvez maintenant utiliser le portail Tokendrop. Choisissez d’abord un mot de passe.',
		},
		forgotten: {
			subject: 'Choisir un nouveau mot de passe',
			text: 'Vous pouvez choisir ici un nouveau mot de passe pour le portail Tokendrop.',
		},
		button: 'Choisir un mot de passe',
		until: 'Le lien fonctionne une seule fois, jusqu’au {time}.',
		ownName:
			'Cette adresse sert déjà à se connecter à un autre compte. Pour celui-ci, vous avez un autre nom de connexion, que la page affiche.',
		unexpected: 'Si vous n’attendiez pas ce message, n’utilisez pas le lien. Rien ne changera.',
	},
	es: {
		invitation: {
			subject: 'Su acceso a Tokendrop',
			text: 'Ya puede usar el portal de Tokendrop. Elija primero una contraseña.',
		},
		forgotten: {
			subject: 'Elegir una contraseña nueva',
			text: 'Aquí puede elegir una contraseña nueva para el portal de Tokendrop.',
		},
		button: 'Elegir contraseña',
		until: 'El enlace funciona una sola vez, hasta {time}.',
		ownName:
			'Con esta dirección ya se entra en otra cuenta. Para esta tiene otro nombre de acceso, que la página muestra.',
		unexpected: 'Si no esperaba este mensaje, no use el enlace. Entonces no cambia nada.',
	},
};

/** Returns the mail with a link to the page on which the user sets a password. */
export function portalMail(
	letter: PortalLetter,
	head: {
		readonly to: string;
		readonly from: string;
		readonly url: string;
		readonly expiresAt: Date;
		readonly language: string | null;
		/** True if the user signs in with another name than the mail address. */
		readonly hasOwnName: boolean;
	},
): Mail {
	const language = (head.language ?? 'en').split('-')[0];
	const code = Object.hasOwn(TEXTS, language) ? language : 'en';
	const texts = TEXTS[code];
	const { subject, text } = texts[letter];
	const time = new Intl.DateTimeFormat(code, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
	const until = texts.until.replace('{time}', `${time.format(head.expiresAt)} UTC`);
	const after = [...(head.hasOwnName ? [texts.ownName] : []), until, texts.unexpected];
	const body = html`<html lang="${code}">
<head><meta charset="utf-8"></head>
<body style="margin:0;padding:24px;font:16px/1.5 sans-serif;color:#1d2330;background:#ffffff">
<p>${text}</p>
<p><a href="${head.url}" style="display:inline-block;padding:12px 20px;border-radius:8px;text-decoration:none;font-weight:bold;color:#ffffff;background:#1f5fbf">${texts.button}</a></p>
<p style="font-size:13px;word-break:break-all">${head.url}</p>
${after.map((line) => html`<p>${line}</p>\n`)}</body>
</html>
`;
	return {
		to: { address: head.to },
		from: { address: head.from },
		subject,
		language: code,
		text: `${[text, head.url, ...after].join('\n\n')}\n`,
		html: `<!doctype html>\n${body}`,
	};
}
