//! How long data is kept. The server's purge runs these rules, and its retention policy is written from them, so that both say the same.

use jiff::SignedDuration;

use crate::attempts;
use crate::record::enumeration;

enumeration! {
    /// Data that the server removes by itself.
    Retained {
        /// What records were before and after each change, in the history of an organization. Who changed which fields, and when, stays.
        Images "images",
        /// Who saw the data of a child.
        AccessLog "access_log",
        /// Requests of families to export, correct or erase a child's data, with the decision.
        PrivacyRequests "privacy_requests",
        /// Who requested an export, and when its link was opened. The content is never stored.
        Exports "exports",
        /// From where and with which program someone was signed in.
        Sessions "sessions",
        /// The saved college programs of a former member.
        FormerMembersPrograms "former_members_programs",
        /// The saved college programs of a guest, who has no account.
        GuestsPrograms "guests_programs",
        /// Messages by e-mail that were sent or given up.
        Messages "messages",
        /// Failed attempts to sign in.
        FailedSignIns "failed_sign_ins",
        /// From which networks someone signed in to an account, so that others cannot lock it.
        SignInNetworks "sign_in_networks",
        /// Responses to changes, so that a repeated request gets the same response.
        RepeatedResponses "repeated_responses",
    }
}

impl Retained {
    /// How long it is kept.
    pub const fn life(self) -> SignedDuration {
        match self {
            Self::Images | Self::AccessLog => days(400),
            Self::PrivacyRequests => days(3 * 365),
            Self::FormerMembersPrograms | Self::Messages => days(90),
            Self::GuestsPrograms | Self::Exports | Self::Sessions => days(30),
            Self::FailedSignIns => attempts::COUNTED,
            Self::SignInNetworks => attempts::KNOWN,
            Self::RepeatedResponses => days(1),
        }
    }

    /// From when on it is kept that long.
    pub const fn since(self) -> &'static str {
        match self {
            Self::Images => "the change",
            Self::AccessLog => "the read",
            Self::PrivacyRequests => "the final decision",
            Self::Exports => "the end of the link",
            Self::Sessions => "the end of the session",
            Self::FormerMembersPrograms => "the end of the membership",
            Self::GuestsPrograms => "the first saved program",
            Self::Messages => "the event that the message is about",
            Self::FailedSignIns => "the attempt",
            Self::SignInNetworks => "the last sign-in from there",
            Self::RepeatedResponses => "the response",
        }
    }
}

const fn days(days: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * days)
}
