import type { FrameTexts } from '../en/frame.ts';

export const frame: FrameTexts = {
	portal: 'Portal',
	skip: 'Zum Inhalt springen',
	navigation: 'Bereiche',
	signOut: 'Abmelden',
	language: 'Sprache',
	choose: 'Wählen',
	help: 'Hilfe zu dieser Seite',
	sandbox: 'Sandbox: nur Testkarten',
	production: 'Produktion: echte Karten',
	sandboxShort: 'Sandbox',
	productionShort: 'Produktion',
	idle: 'Sie werden in {seconds} Sekunden abgemeldet, weil nichts geschehen ist.',
	stay: 'Angemeldet bleiben',
	ended:
		'Ihre Sitzung ist beendet. Melden Sie sich wieder an, um fortzufahren; was Sie gesendet haben, ist nicht verloren.',
	next: 'Nächste Seite',
	first: 'Erste Seite',
	none: 'keine',
	confirm: 'Bestätigen',
	back: 'Zurück',
	sections: {
		overview: 'Übersicht',
		files: 'Dateien',
		try: 'Datei ausprobieren',
		folders: 'Ordner',
		cards: 'Karten',
		requests: 'Kartenanfragen',
		parties: 'Dritte',
		payments: 'Zahlungen',
		access: 'Zugänge',
		people: 'Personen',
		installation: 'Installation',
		me: 'Meine Einstellungen',
	},
	errors: {
		title: 'Das hat nicht funktioniert',
		notFound:
			'Diese Seite gibt es nicht, oder unter dieser Adresse ist nichts von Ihnen. Gehen Sie zurück und wählen Sie erneut aus der Liste: Es wurde vielleicht inzwischen entfernt.',
		forbidden:
			'Ihre Rolle erlaubt das nicht. Bitten Sie jemanden, der Ihr Konto verwaltet, es zu tun oder Ihre Rolle zu ändern.',
		forged:
			'Dieses Formular kam nicht von einer Seite des Portals, oder die Seite wurde in einer früheren Sitzung geöffnet. Öffnen Sie die Seite erneut und wiederholen Sie die Eingabe.',
		tooLarge: 'Das Gesendete ist zu groß. Senden Sie Dateien unter „Dateien“, wo jede Größe möglich ist.',
		refused: 'Das wurde abgelehnt: {reason}',
		unavailable:
			'Der Dienst kann das gerade nicht tun. Versuchen Sie es in einer Minute erneut; bleibt es so, nennen Sie dem Betreiber die Nummer {id}.',
		failed: 'Es ist etwas Unvorhergesehenes schiefgegangen. Nennen Sie dem Betreiber die Nummer {id}.',
	},
};
