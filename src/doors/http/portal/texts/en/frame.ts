/** The English texts of the frame around every page. The other languages have the same members. */
export const frame = {
	portal: 'Portal',
	skip: 'Skip to the content',
	navigation: 'Sections',
	signOut: 'Sign out',
	language: 'Language',
	choose: 'Choose',
	help: 'Help with this page',
	sandbox: 'Sandbox: test cards only',
	production: 'Production: real cards',
	sandboxShort: 'Sandbox',
	productionShort: 'Production',
	idle: 'You will be signed out in {seconds} seconds because nothing happened.',
	stay: 'Stay signed in',
	ended: 'Your session has ended. Sign in again to go on; nothing that you sent before is lost.',
	next: 'Next page',
	first: 'First page',
	none: 'none',
	confirm: 'Confirm',
	back: 'Back',
	sections: {
		overview: 'Overview',
		files: 'Files',
		try: 'Try a file',
		folders: 'Folders',
		cards: 'Cards',
		requests: 'Card requests',
		parties: 'Third parties',
		payments: 'Payments',
		access: 'Access',
		people: 'People',
		installation: 'Installation',
		me: 'My settings',
	},
	errors: {
		title: 'This did not work',
		notFound:
			'There is no such page, or nothing of yours under this address. Go back and choose from the list again: it may have been removed in the meantime.',
		forbidden: 'Your role does not allow this. Ask a manager of your account to do it or to change your role.',
		forged:
			'This form was not sent from a page of the portal, or the page was opened in an earlier session. Open the page again and repeat what you did.',
		tooLarge: 'What you sent is too large. Send files under Files, where they may have any size.',
		refused: 'This was refused: {reason}',
		unavailable:
			'The service cannot do this right now. Try again in a minute; if it stays so, tell the operator the number {id}.',
		failed: 'Something went wrong that was not foreseen. Tell the operator the number {id}.',
	},
};

export type FrameTexts = typeof frame;
