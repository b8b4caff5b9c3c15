import type { FrameTexts } from '../en/frame.ts';

export const frame: FrameTexts = {
	portal: 'Portail',
	skip: 'Aller au contenu',
	navigation: 'Rubriques',
	signOut: 'Se déconnecter',
	language: 'Langue',
	choose: 'Choisir',
	help: 'Aide sur cette page',
	sandbox: 'Bac à sable : cartes de test seulement',
	production: 'Production : cartes réelles',
	sandboxShort: 'Bac à sable',
	productionShort: 'Production',
	idle: 'Vous serez déconnecté dans {seconds} secondes, faute d’activité.',
	stay: 'Rester connecté',
	ended: 'Votre session est terminée. Reconnectez-vous pour continuer ; rien de ce que vous avez envoyé n’est perdu.',
	next: 'Page suivante',
	first: 'Première page',
	none: 'aucun',
	confirm: 'Confirmer',
	back: 'Retour',
	sections: {
		overview: 'Vue d’ensemble',
		files: 'Fichiers',
		try: 'Essayer un fichier',
		folders: 'Dossiers',
		cards: 'Cartes',
		requests: 'Demandes de carte',
		parties: 'Tiers',
		payments: 'Paiements',
		access: 'Accès',
		people: 'Personnes',
		installation: 'Installation',
		me: 'Mes réglages',
	},
	errors: {
		title: 'Cela n’a pas fonctionné',
		notFound:
			'Cette page n’existe pas, ou rien ne vous appartient à cette adresse. Revenez en arrière et choisissez de nouveau dans la liste : l’élément a peut-être été supprimé entre-temps.',
		forbidden:
			'Votre rôle ne le permet pas. Demandez à un responsable de votre compte de le faire ou de changer votre rôle.',
		forged:
			'Ce formulaire n’a pas été envoyé depuis une page du portail, ou la page a été ouverte dans une session précédente. Ouvrez la page de nouveau et recommencez.',
		tooLarge: 'L’envoi est trop grand. Envoyez les fichiers sous « Fichiers », où toute taille est acceptée.',
		refused: 'Refusé : {reason}',
		unavailable:
			'Le service ne peut pas le faire pour le moment. Réessayez dans une minute ; si cela persiste, indiquez à l’exploitant le numéro {id}.',
		failed: 'Une erreur imprévue s’est produite. Indiquez à l’exploitant le numéro {id}.',
	},
};
