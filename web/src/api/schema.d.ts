// Generated from the OpenAPI document of the service by `make web-types`. Do not edit.

import type { Json, JsonObject } from "./json";
export interface paths {
    "/api/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         * @description All agents, each with its requirements and its model. No agent is loaded.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_agents"];
        put?: never;
        /**
         * Create agent
         * @description Make an agent from a template. It has no Python, and is served at once.
         *
         *     409 `agent_exists` if there is one of this name.
         *
         *     Requires the role `author`.
         */
        post: operations["create_agent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List templates
         * @description The templates of new agents; their pictures are in this language.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_templates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read agent
         * @description An agent, with the id, the hash and the nodes of its flow.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_agent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/describe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Describe change
         * @description Let a model propose the change of a document that a person describes. Nothing is stored.
         *
         *     The proposal has the new text, the difference by meaning, the diagnostics, and the results of the conversations.
         *     Closing the connection ends the work.
         *
         *     Requires the role `author`.
         */
        post: operations["describe_change"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List flows
         * @description The flows of the served agents, with their drafts and active versions.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_flows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read flow schema
         * @description The JSON Schema of a flow document.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_flow_schema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/palette": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read palette
         * @description The actions, validators and conversations of an agent. Code is never edited here.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_palette"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read draft
         * @description The draft of an agent's flow; without one, the active document with revision 0. `ETag` is the revision.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_draft"];
        /**
         * Save draft
         * @description Save a draft that was made from the revision in `If-Match`. 412 `draft_changed` if this is not the latest one.
         *
         *     Requires the role `author`.
         */
        put: operations["save_draft"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check draft
         * @description All findings of the compiler in a document, with the actions of the agent's Python, which is not run.
         *
         *     Requires the role `viewer`.
         */
        post: operations["check_draft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/tests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test draft
         * @description Run the scripted conversations of an agent on a document. Closing the connection stops them.
         *
         *     Requires the role `author`.
         */
        post: operations["test_draft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview draft
         * @description The difference by meaning from the active flow, and the outcome of publishing for each waiting conversation.
         *
         *     Requires the role `author`.
         */
        post: operations["preview_draft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish draft
         * @description Publish the draft. From then on it is the agent's flow.
         *
         *     409 `content_changed` if the draft is not the document with this hash, 412 `draft_changed` if it has another
         *     revision.
         *
         *     Requires the role `publisher`.
         */
        post: operations["publish_draft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List versions
         * @description The published versions of an agent's flow, the newest first. The newest is active.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/versions/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read version
         * @description A published version with its text.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare documents
         * @description The difference of two documents by meaning: its lines, and every node and edge that differs.
         *
         *     400 `flow_invalid` if one of them has errors.
         *
         *     Requires the role `viewer`.
         */
        post: operations["compare_documents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/guards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Evaluate guards
         * @description The results of all guards of a document with sample values. 400 `flow_invalid` if it has errors.
         *
         *     Requires the role `viewer`.
         */
        post: operations["evaluate_guards"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/assurances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Examine assurances
         * @description For each assurance of a document a shortest conversation that violates it, searched for at most two seconds.
         *
         *     Actions are not run: their results are tried. 400 `flow_invalid` if the document has errors.
         *
         *     Requires the role `author`.
         */
        post: operations["examine_assurances"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export document
         * @description A document in another format, merged with those that it extends. 400 `flow_invalid` if it has errors.
         *
         *     Requires the role `viewer`.
         */
        post: operations["export_document"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/layers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read draft layers
         * @description The documents that a draft extends, the document that they make, the origin of each value, and the conflicts.
         *
         *     Requires the role `viewer`.
         */
        post: operations["read_draft_layers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/trials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List trials
         * @description The caller's conversations with the draft of a flow, the newest first. No other list has them.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_trials"];
        put?: never;
        /**
         * Begin trial
         * @description Begin a conversation with the draft of a flow, and delete the caller's ended ones.
         *
         *     It is a thread like any other, whose agent is `draft:NAME`. Each message is answered by the newest text of the
         *     draft: the conversation carries over where it fits. An action with effects is performed after a yes to its
         *     confirmation, or if the active flow performs the same without one; otherwise the reply says that it was left out.
         *     400 `draft_invalid` if the draft has errors.
         *
         *     Requires the role `author`.
         */
        post: operations["begin_trial"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/trials/{id}/conversation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record trial
         * @description A trial or a thread of the agent as a scripted conversation: messages, answers of the model, what to expect.
         *
         *     400 `bad_name`, `conversation_exists`, `packaged`, `unwritable`, `nothing_to_record`.
         *
         *     Requires the role `author`.
         */
        post: operations["record_trial"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/conversations/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove conversation
         * @description Delete a scripted conversation, with its golden trace, from the folder `tests` of an agent.
         *
         *     400 `bad_name`, `packaged`, `unwritable`; 404 if there is none.
         *
         *     Requires the role `author`.
         */
        delete: operations["remove_conversation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read flow
         * @description The text of an agent's flow, and its nodes and edges with their positions, for an editor.
         *
         *     If the flow has layers, the text is the document that they make.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_flow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/drawing.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Draw agent
         * @description The flow of an agent as a picture.
         *
         *     Requires the role `viewer`.
         */
        get: operations["draw_agent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/drawing.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Draw thread
         * @description The flow version of a thread as a picture, even if the flow of its agent has changed since.
         *
         *     If the store does not have that version, the agent's current flow is drawn.
         *
         *     Requires the role `viewer`.
         */
        get: operations["draw_thread"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/flow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read thread flow
         * @description The document of the flow version of a thread, or the agent's current one if the store does not have it.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_thread_flow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check flow
         * @description All findings of the compiler in a flow document. Names of actions are not checked, since code is not accepted.
         *
         *     Requires the role `user`.
         */
        post: operations["check_flow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/draw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Draw flow
         * @description A flow document as a picture.
         *
         *     Requires the role `user`.
         */
        post: operations["draw_flow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List threads
         * @description Threads, the most recently updated first. `q` searches titles, messages, and names of agents.
         *
         *     A thread is `running` while a turn is in progress, and `cut_short` if its last turn was interrupted: the next turn
         *     finishes it. With `families` only the most recently updated of a conversation and its branches. With `files` only
         *     threads with uploaded or created files, and their numbers and names. With `usage` each has the duration of its
         *     turns, and their model calls; with `last` the beginning of its last message, and whether the user stopped its last
         *     turn. They were updated at `since` or later, and before `until`.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_threads"];
        put?: never;
        /**
         * Create thread
         * @description Create a thread, which waits for its first turn.
         *
         *     Requires the role `user`.
         */
        post: operations["create_thread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read thread
         * @description A thread, and its last run.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_thread"];
        put?: never;
        post?: never;
        /**
         * Delete thread
         * @description Delete a thread with all its contents. A running turn is cancelled. Records that agents store elsewhere stay.
         *
         *     Requires the role `user`.
         */
        delete: operations["delete_thread"];
        options?: never;
        head?: never;
        /**
         * Change thread
         * @description Rename a thread, pin it, move it to a folder, or choose the model of its next turns.
         *
         *     Requires the role `user`.
         */
        patch: operations["change_thread"];
        trace?: never;
    };
    "/api/v1/threads/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read messages
         * @description Messages, oldest first: the last ones, or those before number `before`. `next` continues with older messages.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read state
         * @description The state of a thread, now or after event `at`: what it waits for, answers and channels.
         *
         *     `waiting_for.approval` is what a yes would approve. Send its `hash` with the yes; its `marks` show the values that
         *     the user did not give.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_state"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/branch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Branch thread
         * @description Create a thread that continues from an earlier point of this one. This one does not change. 422
         *     `answer_refused` for a changed answer that does not fit its question.
         *
         *     Requires the role `user`.
         */
        post: operations["branch_thread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export thread
         * @description A thread as a file: all messages as Markdown, or messages and trace as JSON.
         *
         *     Requires the role `viewer`.
         */
        get: operations["export_thread"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List models
         * @description The models that users may choose for a conversation; the first one answers by default.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List folders
         * @description The folders of the user's threads. A folder exists while a thread is in it.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_folders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete threads
         * @description Delete several threads, like the deletion of each. If one does not exist, none is deleted.
         *
         *     Requires the role `user`.
         */
        post: operations["delete_threads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/branches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List branches
         * @description The conversation from which a thread comes, with all its branches, the oldest first; at least the thread itself.
         *
         *     A branch has the turns of its `source` before turn `turn`, and its own from there on.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_branches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/feedback/{turn}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Give feedback
         * @description Rate the answer of a turn; it replaces an earlier rating.
         *
         *     The rating is stored with the thread, and with the turn in the interaction log, if that is on.
         *
         *     Requires the role `user`.
         */
        put: operations["give_feedback"];
        post?: never;
        /**
         * Take feedback back
         * @description Delete the rating of a turn, also in the interaction log.
         *
         *     Requires the role `user`.
         */
        delete: operations["take_feedback_back"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read turns
         * @description The last turns before turn `before`, the newest first: their messages, whether they failed, and their usage.
         *
         *     `cost` is null if a model that answered has no price. `next` is the `before` of the next page.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_turns"];
        put?: never;
        /**
         * Send turn
         * @description Begin a turn. It continues if the listener disconnects. A thread has one turn at a time; otherwise 409
         *     `thread_busy`.
         *
         *     The same Idempotency-Key with the same request returns the existing run.
         *
         *     Requires the role `user`.
         */
        post: operations["send_turn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume thread
         * @description Answer the pending question. The turn reports a value that does not fit in `refused`. 409 `nothing_waits`,
         *     `not_a_confirmation`, `approval_missing`, `approval_changed`.
         *
         *     Requires the role `user`.
         */
        post: operations["resume_thread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read run
         * @description A run: its status, and its turn when it has ended.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch run
         * @description The events of a run after `Last-Event-ID` (or `after`), to its end.
         *
         *     Requires the role `viewer`.
         */
        get: operations["watch_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel run
         * @description Cancel a run. Committed changes stay; an action in progress is not undone.
         *
         *     Requires the role `user`.
         */
        post: operations["cancel_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/trace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read trace
         * @description Events from number `since` on, each `{seq, visit, time, event}`; with `turn` only those of that turn.
         *
         *     Calls of a model with a configured price have a `cost`. `next` is the `since` of the next page.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_trace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload file
         * @description Upload a file. Send its `id` in `files` of a turn. Its type is determined from the content, not from the name.
         *
         *     Requires the role `user`.
         */
        post: operations["upload_file"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/files/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete file
         * @description Delete an upload. Threads that received it have their own copies.
         *
         *     Requires the role `user`.
         */
        delete: operations["delete_file"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List files
         * @description The files that a thread received.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_files"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/files/{sha256}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read file
         * @description The content of a file that a thread received. Types that could run scripts are sent sandboxed, as a download.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List artifacts
         * @description The files that actions of a thread created, in order. `bytes` is null if the file no longer exists.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_artifacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/artifacts/{artifact}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read artifact
         * @description The content of an artifact. Types that could run scripts are sent sandboxed, as a download.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_artifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/datasets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List datasets
         * @description The data sets in the files of a thread, each with the profile of its columns and its first rows.
         *
         *     A file without a data set is listed with the reason.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_datasets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List interactions
         * @description Interactions, the latest first. Every word of `q` must occur, or `q` in the agent's name.
         *
         *     Times are ISO 8601 in UTC. `yours`: the thread exists and you can open it; the log keeps the turns of deleted
         *     threads. `trials=false` leaves out the turns that tried a draft.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_interactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/logs/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Summarize interactions
         * @description The totals of the interactions with the filters of `/logs`, and their numbers over time.
         *
         *     Requires the role `viewer`.
         */
        get: operations["summarize_interactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/logs/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Record conversations
         * @description Threads as scripted conversations for `graphwright test`: a ZIP file with one file per thread, and notes.
         *
         *     The notes say what a file cannot repeat, and which threads could not be recorded. `graphwright record` writes the
         *     same file for one thread.
         *
         *     Requires the role `viewer`.
         */
        get: operations["record_conversations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read current user
         * @description The user of the request, the role, and whether this service has a login.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_current_user"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List keys
         * @description All API keys, without their secrets.
         *
         *     Requires the role `admin`.
         */
        get: operations["list_keys"];
        put?: never;
        /**
         * Create key
         * @description Create an API key. `key` is only in this response.
         *
         *     Requires the role `admin`.
         */
        post: operations["create_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke key
         * @description Revoke an API key, immediately and permanently. It stays in the list.
         *
         *     Requires the role `admin`.
         */
        delete: operations["revoke_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit entries
         * @description Approvals and their outcomes, the latest first, of all agents or one, and of all events or some.
         *
         *     `q` is searched in the names of users, agents and actions. They happened at `since` or later, and before `until`.
         *     `yours`: the thread exists and you can open it.
         *
         *     Requires the role `admin`.
         */
        get: operations["list_audit_entries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/{number}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read audited content
         * @description The content of a decision, as its card showed it, of every user. 404 after its thread is deleted.
         *
         *     Requires the role `admin`.
         */
        get: operations["read_audited_content"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List collections
         * @description The collections of records, by name.
         *
         *     Requires the role `admin`.
         */
        get: operations["list_collections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/records/{collection}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List records
         * @description The records of a collection, the oldest first. The action `hand_over` keeps its summaries in `hand_over`.
         *
         *     Requires the role `admin`.
         */
        get: operations["list_records"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/panes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List panes
         * @description The panes of the web app that the user may open, in their order.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_panes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List experiments
         * @description The experiments that were changed last, the total number, and the server.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_experiments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read experiment
         * @description An experiment: its settings, the members of its lists, and the number of enrolled users in each condition.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_experiment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read graph
         * @description Labels and types with counts, and some nodes, with the edges between them.
         *
         *     The nodes have `label`, and `q` in their key or their texts; if none has it, they are similar to its words.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_graph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph/nodes/{label}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read node
         * @description The node of this label with the key `node`, and its neighbourhood.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_node"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph/journal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List journal
         * @description The changes of the graph, the newest first. Only admins see the texts of other users.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_journal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph/journal/{goal}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read journal entry
         * @description One entry of the journal with every change of it.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_journal_entry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph/journal/{goal}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo goal
         * @description Show what undoing a goal would change, or undo it. Goals of other users require the role admin.
         *
         *     Requires the role `user`.
         */
        post: operations["undo_goal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agui/{agent}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run agent
         * @description Run one turn: the last message of the user, or `resume` with the answer to the pending interrupt.
         *
         *     A confirmation can only be approved through `resume`: the id of the interrupt identifies what was shown.
         *
         *     Requires the role `user`.
         */
        post: operations["run_agent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List openai models
         * @description All agents, as models.
         *
         *     Requires the role `viewer`.
         */
        get: operations["list_openai_models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read openai model
         * @description An agent, as a model.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_openai_model"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create completion
         * @description Run one turn. Its thread is `metadata.thread`, else the thread of the same conversation.
         *
         *     Requires the role `user`.
         */
        post: operations["create_completion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check alive
         * @description The process is alive.
         */
        get: operations["check_alive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check ready
         * @description The store is ready, too; otherwise a problem says why not.
         */
        get: operations["check_ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read metrics
         * @description Metrics for Prometheus.
         *
         *     Requires the role `viewer`.
         */
        get: operations["read_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An action that a node may run, and what it declares. */
        ActionRead: {
            name: string;
            reads: string[];
            writes: string[];
            effects: boolean;
        };
        /**
         * @description Structured progress that is not conversation content, materialised as a
         *     message so it keeps its place in the sequence. Stands alone rather than
         *     composing BaseMessage, because its content is an object rather than a
         *     string.
         */
        ActivityMessage: {
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "activity";
            activityType: string;
            content: JsonObject;
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /** @description An agent: its description, its requirements, and whether it is ready. */
        Agent: {
            name: string;
            /** @description The distribution that contains it; empty if none does. */
            package: string;
            title: string;
            /** @description What it does and what it does not, as its flow says. */
            description: string;
            /** @description First messages that users may send as they are. */
            examples: string[];
            /** @description The name of an icon, as its flow says in `ui`; empty for none. */
            icon: string;
            /** @description By language, as its flow says in `ui`. */
            texts: {
                [key: string]: components["schemas"]["AgentTexts"];
            };
            nodes: number;
            /** @description The keys of the answers that it may ask for. */
            questions: string[];
            actions: string[];
            takes_files: boolean;
            /** @description `model`, `mcp` (MCP servers), and resources that packages declare, such as `graph`. */
            needs: string[];
            /** @description How well the model in use does with it, if that was measured. */
            measured: string;
            /** @description The numbers of `measured`. */
            score: components["schemas"]["Score"] | null;
            ready: boolean;
            /** @description Why it is not ready; empty if it is. */
            problem: string;
            /** @description The single causes in `problem`, with codes for other texts. */
            problems: components["schemas"]["NotReady"][];
            /** @description The model that answers. */
            model: string;
        };
        /** @description The texts of an agent in one language; what is empty is as in the flow. */
        AgentTexts: {
            /** @default  */
            title?: string;
            /**
             * @description What it does, in one line.
             * @default
             */
            about?: string;
            /** @default  */
            description?: string;
            /** @default [] */
            examples?: string[];
        };
        /** @description An agent, with its flow. */
        AgentWithFlow: {
            name: string;
            /** @description The distribution that contains it; empty if none does. */
            package: string;
            title: string;
            /** @description What it does and what it does not, as its flow says. */
            description: string;
            /** @description First messages that users may send as they are. */
            examples: string[];
            /** @description The name of an icon, as its flow says in `ui`; empty for none. */
            icon: string;
            /** @description By language, as its flow says in `ui`. */
            texts: {
                [key: string]: components["schemas"]["AgentTexts"];
            };
            nodes: number;
            /** @description The keys of the answers that it may ask for. */
            questions: string[];
            actions: string[];
            takes_files: boolean;
            /** @description `model`, `mcp` (MCP servers), and resources that packages declare, such as `graph`. */
            needs: string[];
            /** @description How well the model in use does with it, if that was measured. */
            measured: string;
            /** @description The numbers of `measured`. */
            score: components["schemas"]["Score"] | null;
            ready: boolean;
            /** @description Why it is not ready; empty if it is. */
            problem: string;
            /** @description The single causes in `problem`, with codes for other texts. */
            problems: components["schemas"]["NotReady"][];
            /** @description The model that answers. */
            model: string;
            flow_id: string;
            flow_hash: string;
            flow_nodes: components["schemas"]["FlowNode"][];
        };
        /** @description The action that a yes would approve. Send `hash` with the yes as `approves`. */
        ApprovalAsked: {
            hash: string;
            node: string;
            /** @description The actions that a yes allows. */
            actions: string[];
            /** @description The channels and answers that a yes approves, with their values. */
            over: JsonObject;
            /** @description If an action was done before, and a correction or a migration brings it up again. */
            notice?: string;
            /** @enum {string} */
            kind: "graph" | "experiment" | "tools" | "other";
            /** @description No package describes it: it is a yes to the question of the flow. */
            plain: boolean;
            /** @description If the package of the agent describes it: Markdown, shown in place of the prompt. */
            text?: string;
            /** @description The source of each argument in `over`, by its dotted path. */
            marks: {
                [key: string]: "said" | "default" | "shown" | "exists" | "unsupported";
            };
        };
        /** @description A node and its neighbourhood. */
        Around: {
            nodes: components["schemas"]["GraphNode"][];
            edges: components["schemas"]["GraphEdge"][];
            /** @description There is more than was requested. */
            truncated: boolean;
            node: components["schemas"]["GraphNode"];
        };
        /** @description A file that an action created, in its current state. */
        Artifact: {
            id: string;
            kind: string;
            name: string;
            /** @description Null if the file no longer exists. */
            bytes: number | null;
            turn: number;
            /** @description The number of its event. */
            seq: number;
        };
        /** @description A file that an action created; its content is at /threads/{thread}/artifacts/{id}. */
        ArtifactMade: {
            id: string;
            kind: string;
            name: string;
        };
        /**
         * @description A message from the agent. Content is optional because a turn may consist
         *     only of tool calls.
         */
        AssistantMessage: {
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "assistant";
            name?: string | null;
            encryptedValue?: string | null;
            metadata?: JsonObject | null;
            content?: string | null;
            toolCalls?: components["schemas"]["ToolCall"][] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description An assurance of a draft, and a shortest conversation that violates it. */
        AssuranceResult: {
            text: string;
            /** @description The conversation in one line; empty if none was found. */
            example: string;
            turns: components["schemas"]["ExampleTurn"][];
            /** @description It as a conversation file in the folder `tests`; empty without one. */
            conversation: string;
        };
        /** @description An audio part. */
        AudioPart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "audio";
            id?: string | null;
            source: components["schemas"]["DataSource"] | components["schemas"]["UrlSource"] | components["schemas"]["FileSource"];
            metadata?: unknown | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A decision about an action that needs approval, its outcome, or a key that was created or revoked. */
        Audited: {
            number: number;
            time: string;
            user: string;
            /** @description The id of the API key of the request. */
            key: string;
            /** @enum {string} */
            door: "api" | "agui" | "openai" | "mcp" | "cli";
            /** @enum {string} */
            event: "approved" | "rejected" | "superseded" | "changed" | "performed" | "failed" | "unknown" | "key_made" | "key_revoked" | "published" | "migrated" | "migration_undone";
            agent: string;
            thread: string;
            run: string;
            node: string;
            action: string;
            /** @description The hash of the approved content; or the id of the key. */
            content: string;
            /** @description The thread exists, and the user of the request may open it. */
            yours: boolean;
            /** @description The title of the thread; empty if it is not `yours`. */
            title: string;
        };
        /** @description The question of an audited decision, and what a yes to it approved. */
        AuditedContent: {
            prompt: string;
            approval: components["schemas"]["ApprovalAsked"];
        };
        Body_upload_file: {
            file: string;
        };
        /** @description The included and the excluded members. */
        BothSides: {
            include: components["schemas"]["Members"];
            exclude: components["schemas"]["Members"];
        };
        /** @description A conversation, or a branch of it. */
        Branch: {
            thread: string;
            title: string;
            /** @description The thread from which it continues; empty for the first one. */
            source: string;
            /** @description The number of its first own turn; 0 for the first one. */
            turn: number;
            turns: number;
            created: string;
            updated: string;
        };
        /** @description The point of the branch: after event `at`, with changed answers by their dotted keys. */
        BranchAt: {
            at: number;
            answers?: JsonObject;
        };
        /** @description The conversation from which a branch continues. */
        BranchSource: {
            thread: string;
            /** @description The number of the first own turn of the branch. */
            turn: number;
        };
        /** @description A conversation that continues from a point of another one. */
        Branched: {
            agent: string;
            /** @description Its id. */
            thread: string;
            title: string;
            /** @enum {string} */
            status: "new" | "running" | "cut_short" | "waiting" | "ended" | "failed";
            turns: number;
            created: string;
            updated: string;
            waiting_for: components["schemas"]["Waiting"] | null;
            pinned: boolean;
            /** @description Empty for none. */
            folder: string;
            /** @description The model that its owner chose; empty for the one that answers by default. */
            model: string;
            /** @description For a branch. */
            branch_of: components["schemas"]["BranchSource"] | null;
            /** @description The id of the other one. */
            source: string;
            /** @description The number of the event of the other one after which this one continues. */
            at: number;
        };
        /** @description A line of a difference by meaning. */
        ChangeLine: {
            /** @enum {string} */
            kind: "heading" | "added" | "removed" | "changed" | "detail";
            text: string;
            /** @description Of values that changed: the parts of the line, whole and in order. */
            pieces: components["schemas"]["TextPiece"][];
        };
        /** @description A node or an edge that differs, by its id in both documents; empty where it is not. */
        ChangedPart: {
            /** @enum {string} */
            what: "node" | "edge";
            /** @enum {string} */
            change: "added" | "removed" | "moved" | "renamed" | "changed";
            before: string;
            after: string;
            /** @description Only its place, its look or its tags differ. */
            layout_only: boolean;
        };
        /** @description The number of created, updated and deleted nodes and edges. */
        Changes: {
            created: number;
            updated: number;
            deleted: number;
        };
        /** @description A complete reply. */
        ChatCompletion: {
            id: string;
            /** @description Seconds since 1970. */
            created: number;
            model: string;
            /** @constant */
            object: "chat.completion";
            choices: components["schemas"]["CompletionChoice"][];
            usage: components["schemas"]["CompletionUsage"];
        };
        /** @description One message of the conversation. Only text is supported. */
        ChatMessage: {
            /** @enum {string} */
            role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
            content?: string | JsonObject[] | null;
        };
        /** @description All findings; `ok` is true if none is an error. */
        Checked: {
            ok: boolean;
            diagnostics: components["schemas"]["Diagnostic"][];
        };
        /** @description An option: the value to send, and its title. */
        Choice: {
            value: Json;
            title: string;
        };
        /** @description A collection of records, and how many it has. */
        Collection: {
            name: string;
            records: number;
        };
        /** @description Two documents compared by meaning. */
        Compared: {
            summary: string;
            lines: components["schemas"]["ChangeLine"][];
            parts: components["schemas"]["ChangedPart"][];
            /** @description The earlier document, merged with those that it extends. */
            before: JsonObject;
            /** @description The later document, likewise. */
            after: JsonObject;
        };
        /** @description The request. Other fields of the protocol (temperature, tools, ...) are ignored: the agent chooses them. */
        Completion: {
            model: string;
            messages: components["schemas"]["ChatMessage"][];
            /** @default false */
            stream?: boolean;
            stream_options?: JsonObject | null;
            user?: string | null;
            metadata?: JsonObject | null;
        };
        /** @description The only choice of a completion. */
        CompletionChoice: {
            /** @constant */
            index: 0;
            message: components["schemas"]["CompletionMessage"];
            /** @constant */
            finish_reason: "stop";
            logprobs: null;
        };
        /** @description The reply of the agent. */
        CompletionMessage: {
            /** @constant */
            role: "assistant";
            content: string;
        };
        /** @description The tokens of the model calls of the turn. */
        CompletionUsage: {
            prompt_tokens: number;
            completion_tokens: number;
            total_tokens: number;
        };
        /** @description The number of users and groups in a condition. */
        ConditionCounts: {
            code: string;
            weight: number;
            users: number;
            groups: number;
        };
        /**
         * @description A named piece of ambient information given to the agent for the run,
         *     distinct from the conversation.
         */
        Context: {
            description: string;
            value: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A column of a data set, with its profile. */
        DataColumn: {
            name: string;
            /** @enum {string} */
            type: "integer" | "number" | "text" | "boolean" | "date" | "datetime" | "binary";
            missing: number;
            /** @description The number of different values; null if they were not counted. */
            distinct: number | null;
            low: string | number | boolean | null;
            high: string | number | boolean | null;
            mean: number | null;
            median: number | null;
            /** @description The most frequent values with their counts. */
            top: [
                string | number | boolean | null,
                number
            ][];
            /** @description How many values of a column of numbers are in parts of the same width between the lowest and the highest; empty without rows. */
            bins: number[];
        };
        /** @description A note for the user on how a file was read. */
        DataNote: {
            code: string;
            /** @description In English. */
            text: string;
            /** @description Numbers and names in it. */
            facts: JsonObject;
        };
        /** @description A table in a file. */
        DataSet: {
            id: string;
            name: string;
            file: string;
            /** @description Of the file, whose content is at /threads/{thread}/files/{sha256}. */
            sha256: string;
            rows: number;
            notes: components["schemas"]["DataNote"][];
            columns: components["schemas"]["DataColumn"][];
            /** @description Its first rows. */
            head: {
                [key: string]: string | number | boolean | null;
            }[];
        };
        /** @description The data sets in the files of a thread. */
        DataSets: {
            items: (components["schemas"]["DataSet"] | components["schemas"]["NoDataSet"])[];
            next: null;
        };
        /** @description Bytes carried inline. */
        DataSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "data";
            value: string;
            mimeType: string;
        } & {
            [key: string]: unknown;
        };
        /** @description What became of an approval. At `replaced` the user wrote something else than a yes or a no. */
        Decided: {
            /** @description The event after which it was pending: /state?at= has its content. */
            at: number;
            node: string;
            /** @enum {string} */
            decision: "approved" | "rejected" | "replaced";
            time: string;
            /** @description Of the approved content; empty if it is not known. */
            hash: string;
            /** @description The actions that were approved. */
            actions: string[];
            /** @description It was a yes or no to the question of the flow, as in `ApprovalAsked`. */
            plain: boolean;
            /** @description Who decided; empty if the audit does not say. */
            user: string;
            /** @description The user of the request decided. */
            yours: boolean;
            /**
             * @description What became of the actions, as in the audit; empty if they were not performed (yet). `superseded`: the flow was changed before the decision, which did not count.
             * @enum {string}
             */
            outcome: "" | "performed" | "failed" | "unknown" | "changed" | "superseded";
        };
        /** @description The place in an app that requests a condition. */
        DecisionPoint: {
            site: string;
            target: string;
            exclude_if_reached: boolean;
        };
        /** @description The ids of deleted threads. */
        Deleted: {
            threads: string[];
        };
        /** @description The description of a change of a document. */
        Description: {
            /** @description The document to change, such as a draft. */
            text: string;
            description: string;
        };
        /** @description Instructions from the application developer. */
        DeveloperMessage: {
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "developer";
            name?: string | null;
            encryptedValue?: string | null;
            metadata?: JsonObject | null;
            content: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A finding of the compiler. */
        Diagnostic: {
            code: string;
            severity: components["schemas"]["Severity"];
            message: string;
            file: string;
            line: number;
            column: number;
            /** @description Where it is, as a JSON Pointer into the document. */
            pointer: string;
            hint: string;
        };
        /** @description A document part. */
        DocumentPart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "document";
            id?: string | null;
            source: components["schemas"]["DataSource"] | components["schemas"]["UrlSource"] | components["schemas"]["FileSource"];
            metadata?: unknown | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The findings of the compiler in a draft. `hash` is that of the document; empty if there is an error. */
        DraftChecked: {
            ok: boolean;
            hash: string;
            diagnostics: components["schemas"]["Finding"][];
            names: components["schemas"]["Name"][];
        };
        /** @description What the layers of a draft make. Empty if it extends nothing; without a document if it cannot be merged. */
        DraftLayers: {
            /** @description The lowest first; the last one is the draft. */
            layers: components["schemas"]["Layer"][];
            document: JsonObject | null;
            /** @description The place of every value of the document, by its JSON pointer. */
            origins: {
                [key: string]: components["schemas"]["SetAt"];
            };
            conflicts: components["schemas"]["LayerConflict"][];
        };
        /** @description The text of a draft. Without a draft it is the active document, with revision 0. */
        DraftText: {
            agent: string;
            flow: string;
            text: string;
            /** @description The revision to send in If-Match. */
            revision: number;
            author: string;
            updated: string;
            /** @description The text of the active document. */
            active: string;
            /** @description The text of the folder's file. */
            file: string;
            /** @description The file of the folder is no published version. */
            file_changed: boolean;
            /** @description The number of the active version; 0 if the folder's file is active. */
            version: number;
        };
        /** @description A flow for a visual editor. */
        Drawn: {
            version: string;
            id: string;
            title: string;
            entry: string;
            nodes: components["schemas"]["DrawnNode"][];
            edges: components["schemas"]["DrawnEdge"][];
        };
        /** @description An edge in the format of React Flow. */
        DrawnEdge: {
            id: string;
            source: string;
            target: string;
            label: string;
            data: components["schemas"]["DrawnEdgeData"];
        };
        /** @description The properties of an edge in the document. */
        DrawnEdgeData: {
            guard: string | null;
            priority: number;
            tags: string[];
        };
        /** @description A node in the format of React Flow. */
        DrawnNode: {
            id: string;
            /** @description Its kind; `group` contains the nodes of a subgraph, and `exit` is the end of a subgraph. */
            type: components["schemas"]["Kind"] | ("group" | "exit");
            /** @description Relative to the group around it. */
            position: components["schemas"]["Place"];
            /** @description The fields of the document, and `label`; in a group `graph`, its id. */
            data: JsonObject;
            /** @description The group around it, if there is one. */
            parentId?: string;
            /** @description Of a group. */
            width?: number;
            /** @description Of a group. */
            height?: number;
        };
        /** @description The text of a flow document. It need not compile. */
        Edited: {
            text: string;
        };
        /** @description The number of enrolled and excluded users and groups. */
        Enrollment: {
            users: number;
            excluded_users: number;
            /** @description If groups are assigned. */
            groups?: number;
            /** @description If groups are assigned. */
            excluded_groups?: number;
            conditions: components["schemas"]["ConditionCounts"][];
            /** @description If a condition has a weight above 0. */
            split?: components["schemas"]["Split"];
        };
        /** @description The number of users or groups after which the experiment is complete. */
        EnrollmentGoal: {
            users: number | null;
            groups: number | null;
        };
        /** @description An entry of the journal: a request and its changes. */
        Entry: {
            /** @description Its id. */
            goal: string;
            /** @description Empty if it belongs to another user, like `thread`. */
            text: string;
            thread: string;
            /** @description The owner of the thread; empty without one. */
            user: string;
            /** @enum {string} */
            status: "open" | "done" | "partial" | "refused" | "failed" | "expired" | "undone";
            began: string;
            finished: string | null;
            /** @description The id of the entry that this one undid. */
            undoes: string | null;
            undone_by: string | null;
            /** @description It changed something, and the user of the request may undo it. */
            undoable: boolean;
            changes: components["schemas"]["Changes"];
        };
        /** @description An entry of the journal with every change of it. */
        EntryWithSteps: {
            /** @description Its id. */
            goal: string;
            /** @description Empty if it belongs to another user, like `thread`. */
            text: string;
            thread: string;
            /** @description The owner of the thread; empty without one. */
            user: string;
            /** @enum {string} */
            status: "open" | "done" | "partial" | "refused" | "failed" | "expired" | "undone";
            began: string;
            finished: string | null;
            /** @description The id of the entry that this one undid. */
            undoes: string | null;
            undone_by: string | null;
            /** @description It changed something, and the user of the request may undo it. */
            undoable: boolean;
            changes: components["schemas"]["Changes"];
            steps: components["schemas"]["GraphStep"][];
        };
        /** @description An event of a conversation. Ignore types that you do not know. */
        Event: components["schemas"]["NodeEnteredEvent"] | components["schemas"]["QuestionPassedEvent"] | components["schemas"]["GuardCheckedEvent"] | components["schemas"]["EdgeTakenEvent"] | components["schemas"]["SubgraphEnteredEvent"] | components["schemas"]["SubgraphLeftEvent"] | components["schemas"]["AnswerDroppedEvent"] | components["schemas"]["QuestionsReopenedEvent"] | components["schemas"]["ChannelsStaleEvent"] | components["schemas"]["ConstraintUnmetEvent"] | components["schemas"]["JumpedEvent"] | components["schemas"]["PathVotedEvent"] | components["schemas"]["PathSwitchedEvent"] | components["schemas"]["PathLockedEvent"] | components["schemas"]["PathCorrectedEvent"] | components["schemas"]["PathRefusedEvent"] | components["schemas"]["TurnStartedEvent"] | components["schemas"]["HandedOverEvent"] | components["schemas"]["FileGivenEvent"] | components["schemas"]["TurnResumedEvent"] | components["schemas"]["ModelCalledEvent"] | components["schemas"]["AnswerCommittedEvent"] | components["schemas"]["AnswerRefusedEvent"] | components["schemas"]["AnswerUnknownEvent"] | components["schemas"]["AnswersClearedEvent"] | components["schemas"]["ChannelsResetEvent"] | components["schemas"]["StateAdaptedEvent"] | components["schemas"]["FlowMigratedEvent"] | components["schemas"]["NotUnderstoodEvent"] | components["schemas"]["EscalatedEvent"] | components["schemas"]["SaidEvent"] | components["schemas"]["SayingEvent"] | components["schemas"]["PromptedEvent"] | components["schemas"]["ConfirmationGivenEvent"] | components["schemas"]["ConfirmationMissingEvent"] | components["schemas"]["ActionStartedEvent"] | components["schemas"]["ActionFinishedEvent"] | components["schemas"]["ActionFailedEvent"] | components["schemas"]["OutcomeUnknownEvent"] | components["schemas"]["OutcomeDecidedEvent"] | components["schemas"]["ToolCalledEvent"] | components["schemas"]["ChannelsWrittenEvent"] | components["schemas"]["ArtifactMadeEvent"] | components["schemas"]["InteractionNotedEvent"] | components["schemas"]["TurnFailedEvent"] | components["schemas"]["ShadowComparedEvent"] | components["schemas"]["BranchedEvent"] | components["schemas"]["LanguageReadEvent"] | components["schemas"]["ChannelsComputedEvent"] | components["schemas"]["MovedEvent"];
        /** @description A turn of a conversation that violates an assurance. */
        ExampleTurn: {
            /** @description The value that it answers with, as JSON, or the message; empty for a beginning. */
            said: string;
            /** @description The nodes that it enters, in order. */
            path: string[];
        };
        /** @description An experiment. */
        Experiment: {
            experiment_id: string;
            name: string;
            description: string;
            context: string;
            /** @enum {string} */
            state: "inactive" | "scheduled" | "preview" | "enrolling" | "enrollmentComplete" | "cancelled" | "archived" | "draft";
            /** @description The unit of assignment: `individual` or `group`. */
            unit: string;
            /** @description The type of groups; empty if no group is assigned. */
            group: string;
            consistency: string;
            post_rule: string;
            /** @description The condition that everyone gets after the end; null for the default. */
            revert_to: string | null;
            filter_mode: string;
            tags: string[];
            conditions: components["schemas"]["ExperimentCondition"][];
            decision_points: components["schemas"]["DecisionPoint"][];
            include: components["schemas"]["ListCounts"];
            exclude: components["schemas"]["ListCounts"];
            goal: components["schemas"]["EnrollmentGoal"] | null;
            members: components["schemas"]["BothSides"];
            /** @description If enrolment has begun. */
            enrollment?: components["schemas"]["Enrollment"];
        };
        /** @description A condition, with its weight in per cent. */
        ExperimentCondition: {
            code: string;
            weight: number;
        };
        /** @description An experiment of the list. */
        ExperimentRow: {
            id: string;
            name: string;
            context: string;
            /** @enum {string} */
            state: "inactive" | "scheduled" | "preview" | "enrolling" | "enrollmentComplete" | "cancelled" | "archived" | "draft";
            /** @description The unit of assignment: `individual` or `group`. */
            unit: string;
            created: string | null;
            updated: string | null;
            /** @description The number of enrolled users; null before it has begun. */
            users: number | null;
            groups: number | null;
        };
        /** @description The experiments that were changed last. */
        Experiments: {
            items: components["schemas"]["ExperimentRow"][];
            next: null;
            /** @description The total number. */
            total: number;
            server: string;
            /** @description The server is the local service. */
            local: boolean;
        };
        /** @description A document, and the format in which it is wanted. */
        "Exported-Input": {
            text: string;
            /** @enum {string} */
            format: "json" | "svg" | "mermaid";
        };
        /** @description A conversation with all messages and events. */
        "Exported-Output": {
            agent: string;
            /** @description Its id. */
            thread: string;
            title: string;
            /** @enum {string} */
            status: "new" | "running" | "cut_short" | "waiting" | "ended" | "failed";
            turns: number;
            created: string;
            updated: string;
            waiting_for: components["schemas"]["Waiting"] | null;
            pinned: boolean;
            /** @description Empty for none. */
            folder: string;
            /** @description The model that its owner chose; empty for the one that answers by default. */
            model: string;
            /** @description For a branch. */
            branch_of: components["schemas"]["BranchSource"] | null;
            messages: components["schemas"]["MessageSaid"][];
            trace: components["schemas"]["TraceRow"][];
        };
        /** @description The rating of the answer of a turn, by its user. */
        FeedbackGiven: {
            /** @enum {string} */
            rating: "good" | "bad";
            comment: string;
            user: string;
            time: string;
        };
        /** @description The files of a conversation. */
        FileCounts: {
            given: number;
            made: number;
            /** @description The names of the first files that it was given. */
            names: string[];
            /** @description The last files that it made, the latest first. */
            last: components["schemas"]["ArtifactMade"][];
        };
        /** @description A file that a thread received. */
        FileGiven: {
            name: string;
            bytes: number;
            sha256: string;
        };
        /**
         * @description Bytes already at the provider, named by a handle the provider issued: an
         *     OpenAI or Anthropic file id, a Gemini file URI, a storage URL only that
         *     provider can read. No bytes travel and nothing is fetched. Only the
         *     provider that minted the handle can resolve it; a peer that cannot drops
         *     the part as it drops any part it cannot use.
         */
        FileSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "file";
            value: string;
            provider?: string | null;
            mimeType?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A finding with the end of its place. */
        Finding: {
            code: string;
            severity: components["schemas"]["Severity"];
            message: string;
            file: string;
            line: number;
            column: number;
            /** @description Where it is, as a JSON Pointer into the document. */
            pointer: string;
            hint: string;
            end_line: number;
            end_column: number;
            /** @description Other places that belong to it. */
            related: components["schemas"]["Related"][];
            /** @description What the hint suggests, if that is a change at this place. */
            fix: components["schemas"]["Fix"] | null;
        };
        /** @description The check succeeded. */
        Fine: {
            /** @constant */
            status: "ok";
        };
        /** @description A change of the text that a finding suggests: `text` in place of what is there. */
        Fix: {
            line: number;
            column: number;
            end_line: number;
            end_column: number;
            text: string;
        };
        /** @description A node of a flow. */
        FlowNode: {
            id: string;
            kind: components["schemas"]["Kind"];
            /** @description Empty if the flow has none. */
            label: string;
        };
        /** @description A flow that can be edited. */
        FlowOfAgent: {
            agent: string;
            /** @description The id of the flow; empty if its file cannot be read as a document. */
            flow: string;
            title: string;
            /** @description The number of the active published version; 0 if the folder's file is active. */
            version: number;
            /** @description The revision of the draft; 0 without one. */
            draft: number;
            /** @description When the draft was saved; empty without one. */
            edited: string;
            /** @description Who saved the draft; empty without one. */
            editor: string;
            /** @description Why it cannot be edited; empty if it can. */
            problem: string;
            /** @description The file of the folder is not a version of the store. Compare it. */
            file_changed: boolean;
        };
        /** @description The flow of an agent. */
        FlowRead: {
            agent: string;
            /** @description The text of its file. */
            document: string;
            graph: components["schemas"]["Drawn"];
        };
        /** @description The JSON Schema (draft 2020-12) of a flow document. */
        FlowSchema: {
            [key: string]: unknown;
        };
        /** @description A flow document, YAML or JSON. */
        FlowText: {
            text: string;
        };
        /** @description A folder, with the number of threads in it. */
        Folder: {
            name: string;
            threads: number;
        };
        /** @description The last message in which a text was found. */
        Found: {
            seq: number;
            /** @enum {string} */
            role: "user" | "assistant";
            /** @description A part of the message around the place. */
            text: string;
            /** @description Where the text begins in this part, in characters; it ends before `end`. */
            start: number;
            end: number;
        };
        /** @description The name and arguments of a tool call. */
        FunctionCall: {
            name: string;
            arguments: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Some nodes of the graph, and the counts of the whole graph. */
        Graph: {
            nodes: components["schemas"]["GraphNode"][];
            edges: components["schemas"]["GraphEdge"][];
            /** @description There is more than was requested. */
            truncated: boolean;
            /** @description It grows with every write. */
            version: number;
            labels: components["schemas"]["LabelCount"][];
            types: components["schemas"]["TypeCount"][];
            /** @description No node has the text of the search; these are similar to its words. */
            similar: boolean;
        };
        /** @description A node or an edge before and after the change; null if it did not exist. */
        GraphChange: {
            /** @enum {string} */
            kind: "created" | "updated" | "deleted";
            before: components["schemas"]["GraphNode"] | components["schemas"]["GraphEdge"] | null;
            after: components["schemas"]["GraphNode"] | components["schemas"]["GraphEdge"] | null;
        };
        /** @description A directed edge. */
        GraphEdge: {
            from_label: string;
            from_key: string;
            type: string;
            to_label: string;
            to_key: string;
            properties: {
                [key: string]: string | number | boolean | (string | number | boolean)[];
            };
        };
        /** @description A node: `label` and `key` are its identity. */
        GraphNode: {
            label: string;
            key: string;
            properties: {
                [key: string]: string | number | boolean | (string | number | boolean)[];
            };
        };
        /** @description Changes that were committed together. */
        GraphStep: {
            version: number;
            time: string;
            changes: components["schemas"]["GraphChange"][];
        };
        /** @description A group of users, such as a school. */
        Group: {
            type: string;
            id: string;
        };
        /** @description The result of a guard with sample values. */
        GuardResult: {
            opens: boolean;
            /** @description Why it has no result; empty if it has one. */
            error: string;
            /** @description The answers that it needs and that were not given. */
            missing: string[];
        };
        /** @description The results of the guards of a draft, by the ids of their edges. */
        GuardResults: {
            guards: {
                [key: string]: components["schemas"]["GuardResult"];
            };
        };
        /** @description An image part. */
        ImagePart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "image";
            id?: string | null;
            source: components["schemas"]["DataSource"] | components["schemas"]["UrlSource"] | components["schemas"]["FileSource"];
            metadata?: unknown | null;
        } & {
            [key: string]: unknown;
        };
        /** @description An API key, without its secret. Times that do not apply are empty. */
        Key: {
            id: string;
            user: string;
            /** @enum {string} */
            role: "viewer" | "user" | "author" | "publisher" | "admin";
            name: string;
            created: string;
            expires: string;
            last_used: string;
            revoked: string;
        };
        /** @description An API key that was just created. */
        KeyMade: {
            id: string;
            user: string;
            /** @enum {string} */
            role: "viewer" | "user" | "author" | "publisher" | "admin";
            name: string;
            created: string;
            expires: string;
            last_used: string;
            revoked: string;
            /** @description The key itself. No other answer has it. */
            key: string;
        };
        /**
         * @description The five kinds of node.
         * @enum {string}
         */
        Kind: "question" | "decision" | "action" | "subgraph" | "terminal";
        /** @description The number of nodes with a label. */
        LabelCount: {
            label: string;
            count: number;
        };
        /** @description A document that the draft is merged from. */
        Layer: {
            name: string;
            /** @description Its path, relative to the folder of the flow; `flow.yaml` is the draft itself. */
            file: string;
            text: string;
        };
        /** @description A field that several layers set to different values, or a part that one of them removes. */
        LayerConflict: {
            /** @description Such as `node q.size`. */
            part: string;
            /** @description The field in it; empty for the whole part. */
            field: string;
            strategy: string;
            /** @description Whether a strict merge fails because of it. */
            error: boolean;
            /** @description The layer whose value is used; empty if all are joined. */
            winner: string;
            why: string;
            /** @description The values, those of the lowest layer first. */
            settings: components["schemas"]["Setting"][];
        };
        /** @description The number of users, groups and segments on the lists of a side. */
        ListCounts: {
            users: number;
            groups: number;
            segments: number;
        };
        /** @description A conversation in a list. */
        ListedThread: {
            agent: string;
            /** @description Its id. */
            thread: string;
            title: string;
            /** @enum {string} */
            status: "new" | "running" | "cut_short" | "waiting" | "ended" | "failed";
            turns: number;
            created: string;
            updated: string;
            waiting_for: components["schemas"]["Waiting"] | null;
            pinned: boolean;
            /** @description Empty for none. */
            folder: string;
            /** @description The model that its owner chose; empty for the one that answers by default. */
            model: string;
            /** @description For a branch. */
            branch_of: components["schemas"]["BranchSource"] | null;
            /** @description In a search, if a message contains the text. */
            found?: components["schemas"]["Found"];
            /** @description If `usage` is asked for. */
            usage?: components["schemas"]["ThreadUsage"];
            /** @description If `files` are asked for. */
            files?: components["schemas"]["FileCounts"];
            /** @description If `last` is asked for, the beginning of the last message. */
            last?: string;
            /** @description If `last` is asked for, whether the user stopped the last turn. */
            stopped?: boolean;
        };
        /** @description The turns that began in a part of the time, from `begin` on. */
        LogBar: {
            begin: string;
            count: number;
            failed: number;
        };
        /** @description The totals of turns in the interaction log. */
        LogSummary: {
            count: number;
            failed: number;
            tokens: number;
            /** @description Half of the turns took at most so many seconds. */
            median: number;
            /** @description 95 % of the turns took at most so many seconds. */
            p95: number;
            /** @description The types of the turns. */
            types: string[];
            /** @description The width of a bar; 0 without bars. */
            bar_seconds: number;
            /** @description The turns over time, without gaps. */
            bars: components["schemas"]["LogBar"][];
        };
        /** @description A turn in the interaction log. */
        Logged: {
            id: string;
            session: string;
            agent: string;
            number: number;
            type: string;
            question: string;
            code: string;
            result: string;
            reply: string;
            success: boolean;
            error: string;
            metadata: JsonObject;
            started: string;
            seconds: number;
            model_calls: number;
            tokens: number;
            /** @description The thread exists, and the user of the request may open it. */
            yours: boolean;
        };
        /** @description The user of the request. */
        Me: {
            user: string;
            /** @enum {string} */
            role: "viewer" | "user" | "author" | "publisher" | "admin";
            /** @description This service has a login. */
            login: boolean;
        };
        /** @description The members of the lists of a side. */
        Members: {
            users: string[];
            groups: components["schemas"]["Group"][];
        };
        /** @description A message. */
        MessageSaid: {
            seq: number;
            /** @enum {string} */
            role: "user" | "assistant";
            text: string;
            time: string;
            /** @description 0 for the messages at the start of a branch. */
            turn: number;
            /** @description In the last message of a turn that created files. */
            artifacts?: components["schemas"]["ArtifactMade"][];
            /** @description In a message that asked for an approval, once that is decided. */
            approval?: components["schemas"]["Decided"];
            /** @description In the last message of a turn that was rated. */
            feedback?: components["schemas"]["FeedbackGiven"];
            /**
             * @description In a message of the user that stands for a value, such as that of a button.
             * @constant
             */
            by_value?: true;
        };
        /** @description A model that users may choose for a conversation. */
        Model: {
            name: string;
            default: boolean;
        };
        /** @description An agent, as a model. */
        ModelCard: {
            id: string;
            /** @constant */
            object: "model";
            created: number;
            owned_by: string;
            /** @description The title of the agent. */
            name: string;
            description: string;
        };
        /** @description All agents, as models. */
        ModelCards: {
            /** @constant */
            object: "list";
            data: components["schemas"]["ModelCard"][];
        };
        /** @description A name that guards and texts may read, for completion. */
        Name: {
            name: string;
            /** @description Its JSON Schema type, or the values that it may have. */
            type: string;
            /** @description `answer`, `channel` or `predicate`. */
            kind: string;
        };
        /**
         * @description An agent to make from a template.
         * @example {
         *       "name": "front_desk",
         *       "template": "booking"
         *     }
         */
        NewAgent: {
            /** @description Small letters, digits, - and _, a letter first. */
            name: string;
            /** @description The name of a template. */
            template: string;
            /**
             * @description The title of its flow; empty: made from the name.
             * @default
             */
            title?: string;
            /**
             * @description The language of its texts.
             * @default en
             * @enum {string}
             */
            language?: "en" | "de";
        };
        /** @description The rating of the answer of a turn, by its user. */
        NewFeedback: {
            /** @enum {string} */
            rating: "good" | "bad";
            /** @default  */
            comment?: string;
        };
        /** @description The key to create: its user, its role, and its lifetime in days (null: it does not expire). */
        NewKey: {
            user: string;
            /**
             * @default user
             * @enum {string}
             */
            role?: "viewer" | "user" | "author" | "publisher" | "admin";
            /** @default  */
            name?: string;
            /** @default 90 */
            days?: number | null;
        };
        /**
         * @description The agent of a new thread; `thread` is its id, generated if missing.
         *
         *     With `branch_of` it is a branch of that thread from its first turn on, in the same folder and with the same model.
         */
        NewThread: {
            agent: string;
            thread?: string | null;
            /** @default  */
            title?: string;
            /** @default  */
            folder?: string;
            /** @default  */
            model?: string;
            /** @default  */
            branch_of?: string;
        };
        /**
         * @description A message for a thread. Without one the turn begins the conversation, or finishes an interrupted turn. `files`
         *     are ids of uploads.
         *
         *     `approves` is the hash of `waiting_for.approval`: without it no yes in the message confirms anything.
         */
        NewTurn: {
            message?: string | null;
            files?: string[];
            /** @default  */
            approves?: string;
        };
        /** @description A file without a data set. */
        NoDataSet: {
            file: string;
            sha256: string;
            problem: components["schemas"]["WhyNoDataSet"];
        };
        /** @description One reason why an agent is not ready. */
        NotReady: {
            code: string;
            message: string;
            hint: string;
            /** @description Numbers and names in the message. */
            facts: JsonObject;
        };
        /** @description The error in the format that clients of OpenAI's API expect. */
        OpenAiError: {
            message: string;
            /** @enum {string} */
            type: "invalid_request_error" | "server_error";
            code: string;
            param: null;
        };
        Page_Audited_: {
            items: components["schemas"]["Audited"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
        };
        Page_Entry_: {
            items: components["schemas"]["Entry"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
        };
        Page_ListedThread_: {
            items: components["schemas"]["ListedThread"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
        };
        Page_Logged_: {
            items: components["schemas"]["Logged"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
        };
        Page_MessageSaid_: {
            items: components["schemas"]["MessageSaid"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
        };
        Page_Record_: {
            items: components["schemas"]["Record"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
        };
        /** @description The actions and validators of the agent's Python, and its conversations. */
        Palette: {
            actions: components["schemas"]["ActionRead"][];
            validators: string[];
            conversations: string[];
        };
        /** @description A pane of the web app. */
        PaneShown: {
            /** @description Its name in addresses. */
            name: string;
            /** @description Its title by language; `en` always exists. */
            title: {
                [key: string]: string;
            };
            /** @description The path data (`d`) of an SVG path, an outline on a grid of 24 by 24. */
            icon: string;
            /** @description The address of its ES module, relative to the web app; empty if it is built in. */
            module: string;
            /** @description The letter that opens it after G; empty for none. */
            key: string;
            /** @description It shows the thread of the chat. */
            of_thread: boolean;
        };
        /** @description The position of a node in a drawing, in pixels. */
        Place: {
            x: number;
            y: number;
        };
        /** @description The call stack of a flow. */
        Position: {
            /** @description The outermost first: graph, node, answer scopes (name, graph), and whether it is a detour. */
            frames: [
                string,
                string,
                [
                    string,
                    string
                ][],
                boolean
            ][];
            /** @description The node on top has been answered or performed. */
            done: boolean;
            /** @description The conversation was escalated. */
            escaped: boolean;
        };
        /** @description The changes that a publication would make. */
        Preview: {
            /** @description The difference by meaning from the active flow. */
            difference: components["schemas"]["ChangeLine"][];
            threads: components["schemas"]["WaitingThread"][];
            /** @description How many further conversations wait. */
            more: number;
        };
        /** @description An event, with its cost. */
        PricedRow: {
            seq: number;
            /** @description How many actions had been performed. */
            visit: number;
            time: string;
            event: components["schemas"]["Event"];
            /** @description In a call of a model that has a price. */
            cost?: number;
        };
        /** @description A problem document (RFC 9457): what went wrong, why, and what to do. */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @description A stable identifier for programs. */
            code: string;
            /** @description What to do; may be empty. */
            hint: string;
            request_id: string;
            /** @description The errors of the flow, at 503 `flow_invalid`. */
            diagnostics?: components["schemas"]["Diagnostic"][];
            /** @description Only below /v1. */
            error?: components["schemas"]["OpenAiError"];
        };
        /** @description The confirmation to publish exactly this document. */
        Publication: {
            revision: number;
            /** @description The hash that the check of the draft returned. */
            hash: string;
            /** @description What changed, and why. */
            note: string;
        };
        /**
         * @description A span of the agent's reasoning, materialised as a message. Stands alone
         *     rather than composing BaseMessage, because it carries no name.
         */
        ReasoningMessage: {
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "reasoning";
            content: string;
            encryptedValue?: string | null;
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /** @description One record of an agent, under a key of one of its collections. */
        Record: {
            collection: string;
            key: string;
            value: Json;
            agent: string;
            thread: string;
            created: string;
        };
        /** @description A trial as a conversation file. */
        RecordedConversation: {
            /** @description Where it was written, below the folder of the agent; empty if it was not. */
            file: string;
            text: string;
            /** @description What it cannot reproduce, or does not expect. */
            notes: string[];
        };
        /**
         * @description How to keep a trial: the name of the conversation; with `keep` it is written into the folder of the agent.
         *
         *     With `replace` it replaces the conversation of this name.
         * @example {
         *       "keep": true,
         *       "name": "tea"
         *     }
         */
        Recording: {
            name: string;
            /** @default false */
            keep?: boolean;
            /** @default false */
            replace?: boolean;
        };
        /** @description Another place that belongs to a finding. */
        Related: {
            message: string;
            line: number;
            column: number;
            pointer: string;
        };
        /** @description An answer to one interrupt, sent on the run that continues from it. */
        ResumeEntry: {
            interruptId: string;
            /** @enum {string} */
            status: "resolved" | "cancelled";
            payload?: unknown | null;
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description The answer to a pending question: a JSON `value`, such as that of a button, or a `message`.
         *
         *     `approves` is the hash of `waiting_for.approval`; a yes to a confirmation must carry it.
         */
        Resumption: {
            value?: Json;
            message?: string | null;
            /** @default  */
            approves?: string;
        };
        /** @description A running turn, or how it ended. It continues if its listener disconnects. */
        Run: {
            id: string;
            thread: string;
            /** @enum {string} */
            status: "running" | "waiting" | "ended" | "failed" | "cancelled";
            created: string;
            updated: string;
            /** @description If the turn ended. */
            turn?: components["schemas"]["TurnResult"];
            /** @description If it failed without a turn. */
            problem?: components["schemas"]["Problem"];
            /** @description The message, if it must be sent again because no turn read it. */
            unread?: string;
        };
        /**
         * @description A request to run an agent. Also echoed back as RUN_STARTED.input. Only
         *     threadId, runId and messages are required: those are the three the SDKs
         *     already agree on, and for tools and context an absent key and an empty
         *     array mean the same thing, so requiring them would catch nothing a
         *     producer could get wrong.
         */
        RunAgentInput: {
            threadId: string;
            runId: string;
            protocolVersion?: string | null;
            parentRunId?: string | null;
            state?: unknown | null;
            messages: (components["schemas"]["DeveloperMessage"] | components["schemas"]["SystemMessage"] | components["schemas"]["AssistantMessage"] | components["schemas"]["UserMessage"] | components["schemas"]["ToolMessage"] | components["schemas"]["ActivityMessage"] | components["schemas"]["ReasoningMessage"])[];
            tools?: components["schemas"]["Tool"][] | null;
            context?: components["schemas"]["Context"][] | null;
            forwardedProps?: unknown | null;
            resume?: components["schemas"]["ResumeEntry"][] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A document, and values for its answers (by their dotted keys) and channels; other channels have defaults. */
        Sampled: {
            text: string;
            answers?: JsonObject;
            channels?: JsonObject;
        };
        /** @description How many of the held-out cases the model in use answered correctly. */
        Score: {
            right: number;
            cases: number;
        };
        /** @description Where a value was written. */
        SetAt: {
            layer: string;
            file: string;
            line: number;
            column: number;
        };
        /** @description A value that a layer sets; a removal is `{"remove": true}`. */
        Setting: {
            layer: string;
            file: string;
            line: number;
            column: number;
            value: Json;
        };
        /** @description The ids of threads. */
        Several: {
            threads: string[];
        };
        /**
         * @description The severity: an error cannot run, a warning is probably a mistake, an info is a remark.
         * @enum {string}
         */
        Severity: "error" | "warning" | "info";
        /** @description The chi-square test of the split against the weights. */
        Split: {
            /** @description A fair draw may have this result; null if no one was counted. */
            fair: boolean | null;
            /** @description Null if someone has a condition of weight 0. */
            chi_square: number | null;
            /** @description Degrees of freedom: the number of possible conditions minus one. */
            degrees: number;
            /** @description Null if no one was counted. */
            p_value: number | null;
            /** @description Enough units were counted for the test to be meaningful. */
            enough: boolean;
            /** @description The result of the test in one or two sentences. */
            verdict: string;
        };
        /** @description The state of a thread. */
        State: {
            thread: string;
            agent: string;
            /** @enum {string} */
            status: "new" | "running" | "cut_short" | "waiting" | "ended" | "failed";
            waiting_for: components["schemas"]["WaitingNow"] | null;
            position: components["schemas"]["Position"] | null;
            /** @description `answers`, and the channels that are not private. */
            values: JsonObject;
            /** @description Its last run. */
            run: components["schemas"]["Run"] | null;
        };
        /** @description The state of a thread after an event. */
        StateThen: {
            thread: string;
            agent: string;
            flow_id: string;
            flow_hash: string;
            /** @description The number of the event. */
            at: number;
            time: string;
            event: components["schemas"]["Event"];
            turn: number;
            /** @enum {string} */
            status: "new" | "running" | "cut_short" | "waiting" | "ended" | "failed";
            /** @description The node that was entered last. */
            node: string;
            /** @description With the approval that was pending, if there was one. */
            waiting_for: components["schemas"]["WaitingNow"] | null;
            position: components["schemas"]["Position"] | null;
            /** @description The votes for alternative paths, and the chosen path. */
            paths: JsonObject;
            /** @description `answers`, and the channels that are not private. */
            values: JsonObject;
        };
        /** @description Instructions from the system. */
        SystemMessage: {
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "system";
            name?: string | null;
            encryptedValue?: string | null;
            metadata?: JsonObject | null;
            content: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A template of new agents, which consists of ready-made actions. */
        Template: {
            name: string;
            /** @description What such an agent does. */
            about: string;
            /** @description Its flow as SVG. */
            picture: string;
        };
        /** @description A document to run the conversations on: all, or those named. */
        TestRun: {
            text: string;
            only?: string[];
        };
        /** @description A text part. */
        TextPart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
            id?: string | null;
            text: string;
            metadata?: unknown | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A part of a text, and whether only the earlier or only the later one has it. */
        TextPiece: {
            /** @enum {string} */
            kind: "same" | "removed" | "added";
            text: string;
        };
        /** @description A conversation. */
        Thread: {
            agent: string;
            /** @description Its id. */
            thread: string;
            title: string;
            /** @enum {string} */
            status: "new" | "running" | "cut_short" | "waiting" | "ended" | "failed";
            turns: number;
            created: string;
            updated: string;
            waiting_for: components["schemas"]["Waiting"] | null;
            pinned: boolean;
            /** @description Empty for none. */
            folder: string;
            /** @description The model that its owner chose; empty for the one that answers by default. */
            model: string;
            /** @description For a branch. */
            branch_of: components["schemas"]["BranchSource"] | null;
        };
        /**
         * @description The new title, folder (empty: none) or model (empty: the default) of a thread, and whether it is pinned.
         *
         *     Missing fields are not changed.
         */
        ThreadChange: {
            title?: string | null;
            pinned?: boolean | null;
            folder?: string | null;
            model?: string | null;
        };
        /** @description The flow version under which a thread runs. */
        ThreadFlow: {
            hash: string;
            /** @description The flow document. */
            document: JsonObject;
        };
        /** @description The turns of a conversation together. */
        ThreadUsage: {
            seconds: number;
            /** @description Of models. */
            calls: number;
            tokens: number;
            /** @description Null if a model that answered has no price. */
            cost: number | null;
            failed_turns: number;
        };
        /** @description A conversation, and its last run. */
        ThreadWithRun: {
            agent: string;
            /** @description Its id. */
            thread: string;
            title: string;
            /** @enum {string} */
            status: "new" | "running" | "cut_short" | "waiting" | "ended" | "failed";
            turns: number;
            created: string;
            updated: string;
            waiting_for: components["schemas"]["Waiting"] | null;
            pinned: boolean;
            /** @description Empty for none. */
            folder: string;
            /** @description The model that its owner chose; empty for the one that answers by default. */
            model: string;
            /** @description For a branch. */
            branch_of: components["schemas"]["BranchSource"] | null;
            run: components["schemas"]["Run"] | null;
        };
        /** @description A tool the agent may call. */
        Tool: {
            name: string;
            description: string;
            parameters?: unknown | null;
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description A call an assistant message made. Carries no subagent attribution of its
         *     own and inherits its containing message's, since several calls can share
         *     one parent.
         */
        ToolCall: {
            id: string;
            /**
             * @default function
             * @constant
             */
            type?: "function";
            function: components["schemas"]["FunctionCall"];
            encryptedValue?: string | null;
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description What a tool returned, as a message in the conversation. Stands alone
         *     rather than composing BaseMessage, because it carries no name.
         */
        ToolMessage: {
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "tool";
            content: string | (components["schemas"]["TextPart"] | components["schemas"]["ImagePart"] | components["schemas"]["AudioPart"] | components["schemas"]["VideoPart"] | components["schemas"]["DocumentPart"])[];
            toolCallId: string;
            error?: string | null;
            encryptedValue?: string | null;
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A page of the trace. */
        Trace: {
            items: components["schemas"]["PricedRow"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
            currency: string;
        };
        /** @description An event of the trace. */
        TraceRow: {
            seq: number;
            /** @description How many actions had been performed. */
            visit: number;
            time: string;
            event: components["schemas"]["Event"];
        };
        /** @description The result of a turn; also the last event of its run, `turn_ended`. */
        TurnResult: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn_ended";
            thread: string;
            agent: string;
            /** @enum {string} */
            status: "waiting" | "ended" | "failed";
            /** @description All texts of the turn, and the pending prompt. */
            reply: string;
            waiting_for: components["schemas"]["WaitingNow"] | null;
            /** @description Every node entered, in order. */
            path: string[];
            /** @description `answers`, and the channels that are not private. */
            values: JsonObject;
            artifacts: components["schemas"]["ArtifactMade"][];
            usage: components["schemas"]["Usage"];
            error: components["schemas"]["WhyFailed"] | null;
            /** @description If values were rejected. */
            refused?: components["schemas"]["ValueRefused"][];
            /** @description The message, if it must be sent again because an earlier turn was finished. */
            unread?: string;
        };
        /** @description A turn, and the usage of its model calls. */
        TurnRow: {
            turn: number;
            /** @description The event with which it began. */
            seq: number;
            time: string;
            message: string | null;
            failed: boolean;
            /** @description By the user. */
            stopped: boolean;
            calls: number;
            tokens: number;
            seconds: number;
            /** @description Null if a model that answered has no price. */
            cost: number | null;
        };
        /** @description A page of turns, the newest first. */
        Turns: {
            items: components["schemas"]["TurnRow"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
            currency: string;
        };
        /** @description Two documents of a flow, the earlier one first. */
        Two: {
            before: string;
            after: string;
        };
        /** @description The number of edges with a type. */
        TypeCount: {
            type: string;
            count: number;
        };
        /** @description With `preview` the changes are only shown, with their hash; otherwise `approves` must be that hash. */
        Undo: {
            /** @default true */
            preview?: boolean;
            /** @default  */
            approves?: string;
        };
        /** @description The changes that undoing an entry would make now. To undo it, send `hash` as `approves`. */
        UndoPreview: {
            goal: string;
            changes: components["schemas"]["GraphChange"][];
            hash: string;
        };
        /** @description An uploaded file. Send its `id` with a message. */
        Uploaded: {
            name: string;
            bytes: number;
            sha256: string;
            id: string;
            /** @description Its type, such as `xlsx`, determined from the content. */
            kind: string;
        };
        /** @description Bytes referenced by URL, fetched by whoever needs them. */
        UrlSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "url";
            value: string;
            mimeType?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The usage of a turn. */
        Usage: {
            model_calls: number;
            input_tokens: number;
            output_tokens: number;
            seconds: number;
        };
        /** @description A message from the person using the application. */
        UserMessage: {
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "user";
            name?: string | null;
            encryptedValue?: string | null;
            metadata?: JsonObject | null;
            content: string | (components["schemas"]["TextPart"] | components["schemas"]["ImagePart"] | components["schemas"]["AudioPart"] | components["schemas"]["VideoPart"] | components["schemas"]["DocumentPart"])[];
        } & {
            [key: string]: unknown;
        };
        /** @description A value of the reply that was rejected. */
        ValueRefused: {
            key: string;
            /** @enum {string} */
            stage: "approval" | "consent" | "correction" | "early" | "options" | "schema" | "superseded" | "validate" | "when";
            reason: string;
        };
        /** @description A published version of a flow. */
        Version: {
            number: number;
            hash: string;
            author: string;
            note: string;
            created: string;
        };
        /** @description A published version with its text. */
        VersionText: {
            number: number;
            hash: string;
            author: string;
            note: string;
            created: string;
            text: string;
        };
        /** @description A video part. */
        VideoPart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "video";
            id?: string | null;
            source: components["schemas"]["DataSource"] | components["schemas"]["UrlSource"] | components["schemas"]["FileSource"];
            metadata?: unknown | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The pending question or message. At `message` the thread accepts any message. */
        Waiting: {
            node: string;
            /** @description The answer that is asked for; empty at `message`. */
            key: string;
            prompt: string;
            /** @enum {string} */
            kind: "question" | "confirm" | "choice" | "message";
            options: components["schemas"]["Choice"][];
        };
        /** @description The pending question or message now, with everything needed to answer it. */
        WaitingNow: {
            node: string;
            /** @description The answer that is asked for; empty at `message`. */
            key: string;
            prompt: string;
            /** @enum {string} */
            kind: "question" | "confirm" | "choice" | "message";
            options: components["schemas"]["Choice"][];
            /**
             * @description The JSON Schema of the value, at a question.
             * @default {}
             */
            schema?: JsonObject;
            /** @description If the question can be left open: resume with the value null. */
            optional?: boolean;
            /** @description If a yes allows actions. */
            approval?: components["schemas"]["ApprovalAsked"];
            /** @description If the flow was changed, so that a reply would not be used: it is asked anew. */
            outdated?: boolean;
        };
        /** @description The outcome of a publication for a waiting conversation. */
        WaitingThread: {
            thread: string;
            /** @description `carry` or `move` to the new version, or it stays: `pin`, `ask`, `wait`, ... */
            outcome: string;
            reasons: string[];
            /** @description Where it waits. */
            node: string;
            /** @description Where it waits afterwards. */
            goes_to: string;
        };
        Whole_Agent_: {
            items: components["schemas"]["Agent"][];
            next: null;
        };
        Whole_Artifact_: {
            items: components["schemas"]["Artifact"][];
            next: null;
        };
        Whole_AssuranceResult_: {
            items: components["schemas"]["AssuranceResult"][];
            next: null;
        };
        Whole_Branch_: {
            items: components["schemas"]["Branch"][];
            next: null;
        };
        Whole_Collection_: {
            items: components["schemas"]["Collection"][];
            next: null;
        };
        Whole_FileGiven_: {
            items: components["schemas"]["FileGiven"][];
            next: null;
        };
        Whole_FlowOfAgent_: {
            items: components["schemas"]["FlowOfAgent"][];
            next: null;
        };
        Whole_Folder_: {
            items: components["schemas"]["Folder"][];
            next: null;
        };
        Whole_Key_: {
            items: components["schemas"]["Key"][];
            next: null;
        };
        Whole_Model_: {
            items: components["schemas"]["Model"][];
            next: null;
        };
        Whole_PaneShown_: {
            items: components["schemas"]["PaneShown"][];
            next: null;
        };
        Whole_Template_: {
            items: components["schemas"]["Template"][];
            next: null;
        };
        Whole_Thread_: {
            items: components["schemas"]["Thread"][];
            next: null;
        };
        Whole_Version_: {
            items: components["schemas"]["Version"][];
            next: null;
        };
        /** @description Why a turn failed. */
        WhyFailed: {
            code: string;
            message: string;
            hint: string;
        };
        /** @description The reason why a file could not be read as data. */
        WhyNoDataSet: {
            code: string;
            detail: string;
            hint: string;
        };
        /** @description The walk entered a node of any kind. */
        NodeEnteredEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "node_entered";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description `question`, `decision`, `action`, `subgraph` or `terminal` */
            kind: string;
            /** @description the subgraph that contains it; empty for the root */
            graph: string;
            /** @description the number of enclosing subgraph calls */
            depth: number;
        };
        /** @description A question was skipped. */
        QuestionPassedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "question_passed";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the answer; keys in a scope are dotted (`led.size`) */
            key: string;
            /** @description `answered`, `declined` or `not_applicable` (its `when` is not true) */
            reason: string;
        };
        /** @description A guard was evaluated. */
        GuardCheckedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "guard_checked";
            /** @description the owner of the guard: an edge's id, `NODE.when`, `NODE.confirm` for the `when` of a confirmation, or a constraint */
            of: string;
            /** @description its text */
            guard: string;
            /** @description whether it is true; with any other result it is not open */
            opened: boolean;
            /** @description the values of the names it reads; a large channel shows its size, a private one `<private>` */
            saw: JsonObject;
            /** @description the answers that it needs and that are not known yet */
            missing?: string[];
            /** @description why it could not be evaluated */
            error?: string;
        };
        /** @description The walk took an edge. */
        EdgeTakenEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "edge_taken";
            /** @description its id: by default `FROM->TO` */
            edge: string;
            /** @description the node it leaves */
            source: string;
            /** @description the node it enters; `__exit__` leaves the subgraph */
            target: string;
            /** @description true: no other edge was open */
            else?: boolean;
            /** @description true: other edges were open as well */
            ambiguous?: boolean;
            /** @description these other edges */
            also_open?: string[];
        };
        /** @description A subgraph was called. */
        SubgraphEnteredEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "subgraph_entered";
            /** @description the node that calls it */
            node: string;
            /** @description the subgraph */
            ref: string;
            /**
             * @description the scope of its answers (`as`); empty when they are shared
             * @default
             */
            scope: string;
        };
        /** @description A subgraph returned to the node that had called it. */
        SubgraphLeftEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "subgraph_left";
            /** @description that node */
            node: string;
            /** @description the subgraph */
            ref: string;
        };
        /** @description A question with `ask: always` was entered and dropped its old answer; or an answer is no longer valid after a change (dependent answers), which adds the last three fields. */
        AnswerDroppedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "answer_dropped";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the answer; keys in a scope are dotted (`led.size`) */
            key: string;
            /** @description the check that the answer no longer passes: `options`, `when` or `validate`; `undecided`: `validate` reads an answer that may still be given; `early`: the user gave another value that cannot be checked yet */
            reason?: string;
            /** @description the old value */
            value?: Json;
            /** @description the names that changed: answers without their scopes, and channels */
            because?: string[];
        };
        /** @description Questions that did not apply before apply after a correction. They are asked. */
        QuestionsReopenedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "questions_reopened";
            /** @description the keys of their answers */
            keys: string[];
        };
        /** @description Answers that an action had read have changed, so the channels that it wrote are stale. */
        ChannelsStaleEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "channels_stale";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description its stale channels */
            channels: string[];
            /** @description the answers, by their dotted keys, and channels that have changed since the action was performed */
            because: string[];
        };
        /** @description A terminal was reached while a constraint is not met. */
        ConstraintUnmetEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "constraint_unmet";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the answers that the constraint requires */
            keys: string[];
            /** @description the answer that is asked for now; empty if none can be asked */
            asks: string;
            /** @description the constraint's `message` */
            message: string;
        };
        /** @description The walk moved to another node without an edge. */
        JumpedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "jumped";
            /** @description from this node */
            source: string;
            /** @description to this one */
            target: string;
            /** @description why: the walk was stuck (`no_open_edge`, `ambiguous`, `cycle`, `too_deep`, `too_long`, `constraint`, `no_path_chosen`) and goes to `on_stuck`; `action_failed`, to its `on_error`; `confirmation_missing`, to the question that confirms; `path_corrected`, to the call of the new path; `went_back`, to a decision that leads elsewhere after a change, and from there possibly over actions that were done before; `abandoned`, to `on_abandon`; `asked_again`, to the question of a dropped or withdrawn answer that `source` reads; or `computed_again`, to the action that wrote a stale channel that `source` reads */
            reason: string;
        };
        /** @description The model voted for a path (Paths). */
        PathVotedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "path_voted";
            /** @description the path */
            path: string;
            /** @description its confidence, from 0 to 1, or null */
            confidence: number | null;
            /** @description whether the vote counted */
            counted: boolean;
            /** @description the votes of all paths after this one */
            votes: {
                [key: string]: number;
            };
            /** @description the leading path */
            tentative: string;
            /** @description the votes needed to lock a path */
            threshold: number;
            /** @description why, as the model puts it */
            rationale: string;
            /**
             * @description why not: `unsure` (below `min_confidence`) or `locked`
             * @default
             */
            reason?: string;
        };
        /** @description Another path took the lead before any path was locked. */
        PathSwitchedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "path_switched";
            /** @description the path that was leading */
            before: string;
            /** @description the path that is leading now */
            path: string;
        };
        /** @description A path was chosen: from now on only a correction by the user changes it. */
        PathLockedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "path_locked";
            /** @description the path */
            path: string;
        };
        /** @description The user corrected the choice. */
        PathCorrectedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "path_corrected";
            /** @description the path that was locked */
            before: string;
            /** @description the path that is locked now */
            path: string;
        };
        /** @description A vote of the model was refused. */
        PathRefusedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "path_refused";
            /** @description the path that the model named */
            path: string;
            /** @description `unknown`, or `several`: more than one vote for one reply */
            reason: string;
            /**
             * @description why, as the model puts it
             * @default
             */
            rationale: string;
        };
        /** @description A turn began. */
        TurnStartedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn_started";
            /** @description its number in the thread, from 1 */
            turn: number;
            /** @description the user's message, or the text of `value`; null if the turn began without a message */
            message: string | null;
            /** @description true if the thread was new or had ended, so the flow starts at its entry */
            afresh: boolean;
            /** @description the id of the flow */
            flow: string;
            /** @description the hash of its version */
            flow_hash: string;
            /**
             * @description true if the waiting question was answered with a value (`resume`)
             * @default false
             */
            resumed?: boolean;
            /**
             * @description that value
             * @default null
             */
            value?: Json;
            /**
             * @description true if the model is `none`
             * @default false
             */
            without_model?: boolean;
            /**
             * @description in the first turn of a thread: the random token that its idempotency keys begin with
             * @default
             */
            born?: string;
            /**
             * @description the time at which the turn began, in the local zone: `now` in guards and templates
             * @default
             */
            now?: string;
        };
        /** @description The action hand_over handed the conversation over to a person. */
        HandedOverEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "handed_over";
            /** @description the node of the action */
            node: string;
            /** @description who is to take over, such as a team; may be empty */
            to: string;
            /** @description what the person needs to know; `<private>` if it reads a private channel */
            summary: string;
        };
        /** @description The user gave a file with the message. The state of the thread keeps it for all later turns. */
        FileGivenEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "file_given";
            /** @description its name */
            name: string;
            /** @description the hash of its content */
            sha256: string;
            /** @description its size */
            bytes: number;
            /**
             * @description the end of its original folder (`2023`) if several files of this name were given; otherwise empty
             * @default
             */
            folder: string;
        };
        /** @description An interrupted turn continues. This event is sent only during the turn and is not part of the trace. */
        TurnResumedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn_resumed";
            /** @description the number of the turn */
            turn: number;
        };
        /** @description A model call succeeded or failed; each retry is a separate event. */
        ModelCalledEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "model_called";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the name of the model */
            model: string;
            /** @description the tools, or the schema, of the request */
            offered: string[];
            /** @description as the provider counts them */
            input_tokens: number;
            /** @description as the provider counts them */
            output_tokens: number;
            /** @description how long the call or the attempt took */
            seconds: number;
            /**
             * @description the code of the failure
             * @default
             */
            error?: string;
            /** @description the reply, in the form of a rule of the scripted model: `{call}`, `{text}`, `{raw}` or `{fail}` */
            answer?: JsonObject | "<private>";
            /**
             * @description true if the node writes private channels: the reply is not shown
             * @default false
             */
            private?: boolean;
        };
        /** @description A value became an answer: the message contains its quotation, and it fits the options, the schema and `validate`. */
        AnswerCommittedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "answer_committed";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the answer; keys in a scope are dotted (`led.size`) */
            key: string;
            /** @description the value */
            value: Json;
            /**
             * @description the user's words it came from; empty for an answer given as a value or restored with its branch
             * @default
             */
            quote: string;
            /**
             * @description the previous value, or null
             * @default null
             */
            replaced: Json;
        };
        /** @description A proposed value was not committed. */
        AnswerRefusedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "answer_refused";
            /** @description the question that waited */
            node: string;
            /** @description the answer it was proposed for */
            key: string;
            /** @description the value */
            value: Json;
            /** @description the words that the model quoted for it */
            quote: string;
            /** @description the check that refused it: `quotation` (the message does not contain the quoted words), `correction` (an answer exists, and the model does not mark this as a correction), `options`, `schema`, `validate`, the question's own `when`, `approval` (a yes without the required hash of what it approves), `consent` (a yes that only the model reads), `superseded` (the flow was changed before a yes or no), or `early` (the value cannot be checked yet: its options do not exist, or a guard reads an answer that is not known; it is kept until then) */
            stage: string;
            /** @description why, as text for the user */
            reason: string;
        };
        /** @description The user has no answer to a question, or withdraws one. */
        AnswerUnknownEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "answer_unknown";
            /** @description the question */
            node: string;
            /** @description the answer; keys in a scope are dotted (`led.size`) */
            key: string;
            /** @description the reason given by the model */
            reason: string;
            /** @description true if the question is optional and will be skipped from now on */
            declined: boolean;
            /**
             * @description an earlier answer that the user withdrew; `reason` is then the quotation from the message
             * @default null
             */
            replaced: Json;
        };
        /** @description A new conversation began in a flow with `restart: clear`: all answers were cleared. */
        AnswersClearedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "answers_cleared";
        };
        /** @description A new conversation began, and channels of `scope: conversation`, or new to the thread, got their defaults. */
        ChannelsResetEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "channels_reset";
            /** @description their values */
            values: JsonObject;
            /**
             * @description the names of the channels among `values` that are private
             * @default []
             */
            private: string[];
        };
        /** @description The flow has changed since the conversation ended, and values that no longer fit were dropped. */
        StateAdaptedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "state_adapted";
            /** @description the keys of the answers */
            answers: string[];
            /** @description the names of the channels; a channel that the flow still has is reset to its default */
            channels: string[];
        };
        /** @description The thread continues in another version of its flow (Migration). */
        FlowMigratedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "flow_migrated";
            /** @description the hash of the version that it leaves */
            before: string;
            /** @description the hash of the version in which it continues */
            after: string;
            /**
             * @description what changed in the thread, for people
             * @default []
             */
            reasons?: string[];
            /**
             * @description the operator who migrated the thread between two turns; absent if it carried over at a message
             * @default
             */
            by?: string;
            /**
             * @description true: the migration before this event is undone
             * @default false
             */
            undoes?: boolean;
            /** @description the fields of the thread's state that changed, null for one that has its default again */
            state?: JsonObject;
            /**
             * @description the channels that were removed
             * @default []
             */
            gone?: string[];
            /** @description the channels that were set */
            values?: JsonObject;
            /**
             * @description the names of private channels among them
             * @default []
             */
            private?: string[];
        };
        /** @description A reply contained no answer to the question that waited. */
        NotUnderstoodEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "not_understood";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the answer; keys in a scope are dotted (`led.size`) */
            key: string;
            /** @description how many times in a row */
            count: number;
            /** @description the number after which the flow gives up (`max_invalid`) */
            limit: number;
        };
        /** @description The conversation left its normal course: the user asked for a person, or too many replies were not understood. */
        EscalatedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "escalated";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the node of `on_escalate` or `on_invalid` */
            target: string;
            /** @description why */
            reason: string;
        };
        /** @description A text for the user. */
        SaidEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "said";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the text */
            text: string;
        };
        /** @description A streamed piece of a text that an action is still writing. This event is sent only during the turn and is not part of the trace. The final text is the event `said`, and may differ. */
        SayingEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "saying";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the piece */
            text: string;
            /**
             * @description true if the text begins again with this piece and earlier pieces are void
             * @default false
             */
            afresh: boolean;
        };
        /** @description The thread waits, as described in `waiting_for` of the turn. */
        PromptedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "prompted";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the answer, in the scope of the question; empty if any message continues */
            key: string;
            /** @description the prompt */
            text: string;
            /**
             * @description `question`, `confirm`, `choice` or `message`
             * @enum {string}
             */
            kind: "question" | "confirm" | "choice" | "message";
            /**
             * @description the choices: a list of `{value, title}`
             * @default []
             */
            options: JsonObject[];
            /**
             * @description the hash of the content that a yes confirms; empty if no action needs one
             * @default
             */
            shown: string;
            /**
             * @description whether an operator's migration wrote the prompt, so that the next message does not answer it
             * @default false
             */
            unseen: boolean;
        };
        /** @description The user confirmed a pending action. */
        ConfirmationGivenEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "confirmation_given";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the node of the action */
            action: string;
            /** @description the hash of the confirmed content */
            content: string;
        };
        /** @description An action was not performed, because its present content is not confirmed. */
        ConfirmationMissingEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "confirmation_missing";
            /** @description its node */
            action: string;
            /** @description the question that is asked again */
            by: string;
            /** @description `never_given` or `content_changed` */
            reason: string;
        };
        /** @description An action attempt begins. */
        ActionStartedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "action_started";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the action that the node runs */
            run: string;
            /** @description the number of the action in the thread, from 1: the last part of its idempotency key */
            visit: number;
            /** @description from 1 */
            attempt: number;
        };
        /** @description An action is done. */
        ActionFinishedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "action_finished";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the action that the node runs */
            run: string;
            /** @description the number of the action in the thread, from 1: the last part of its idempotency key */
            visit: number;
            /** @description from 1 */
            attempt: number;
            /** @description how long the call or the attempt took */
            seconds: number;
            /**
             * @description of an action with effects: the hash of everything that it depended on
             * @default
             */
            content?: string;
            /**
             * @description the text of its confirmation, up to 300 characters
             * @default
             */
            confirmed?: string;
            /**
             * @description the collections in which it kept records
             * @default []
             */
            recorded?: string[];
        };
        /** @description An attempt to perform an action failed. */
        ActionFailedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "action_failed";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the action that the node runs */
            run: string;
            /** @description the number of the action in the thread, from 1: the last part of its idempotency key */
            visit: number;
            /** @description from 1 */
            attempt: number;
            /** @description the exception, without secrets */
            error: string;
            /** @description whether it was the last attempt */
            final: boolean;
            /**
             * @description the file and line of the agent's Python that raised an unexpected exception; empty for a `GraphwrightError`
             * @default
             */
            place: string;
        };
        /** @description The outcome of an action that must not be repeated is unknown, because of a crash or its time limit. The thread asks the user. */
        OutcomeUnknownEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "outcome_unknown";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the action that the node runs */
            run: string;
            /** @description the number of the action in the thread, from 1: the last part of its idempotency key */
            visit: number;
            /** @description from 1 */
            attempt: number;
            /** @description the cause */
            reason: string;
        };
        /** @description The user stated the outcome, or an action that was done came up again. */
        OutcomeDecidedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "outcome_decided";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the number of the action in the thread, from 1: the last part of its idempotency key */
            visit: number;
            /** @description `done`; `again`: perform it (again); `leave`: the user said no to doing it again; `kept`: the flow passed over it, because nothing that it reads has changed */
            decision: string;
        };
        /** @description An action called a tool of its node with `ctx.tools.call`. */
        ToolCalledEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_called";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description the tool */
            tool: string;
            /** @description the names of the arguments, without their values */
            arguments: string[];
            /** @description whether the call succeeded */
            ok: boolean;
            /** @description how long the call or the attempt took */
            seconds: number;
            /**
             * @description how it failed: `unknown_tool`, `bad_arguments`, `bad_parameters` or `failed`
             * @default
             */
            kind: string;
            /**
             * @description why it failed
             * @default
             */
            error: string;
            /**
             * @description the code of the `GraphwrightError` that the tool raised, if any
             * @default
             */
            code: string;
        };
        /** @description An action wrote channels. */
        ChannelsWrittenEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "channels_written";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description their new values, complete even if the channel appends; a large value is `{"$blob": HASH}` */
            values: JsonObject;
            /**
             * @description the names of the channels among `values` that are private
             * @default []
             */
            private: string[];
        };
        /** @description An action made a file. */
        ArtifactMadeEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "artifact_made";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description such as `plot` or `table` */
            kind: string;
            /** @description the display name */
            name: string;
            /** @description Where its content is: /threads/{thread}/artifacts/{id}. */
            id: string;
        };
        /** @description An action, even in a failed attempt, recorded something for the interaction log. If a turn has several of these, the last value of each field is used. */
        InteractionNotedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "interaction_noted";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /**
             * @description the type of the interaction
             * @default
             */
            kind?: string;
            /**
             * @description the code that was run
             * @default
             */
            code?: string;
            /**
             * @description its result, as text
             * @default
             */
            result?: string;
            /**
             * @description whether the action reports success
             * @default null
             */
            success?: boolean | null;
            /**
             * @description the error
             * @default
             */
            error?: string;
            /** @description other recorded values: a JSON object */
            metadata?: JsonObject;
        };
        /** @description The turn failed. Committed steps are kept, and the thread can continue. */
        TurnFailedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn_failed";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description a stable name of the error, for programs */
            code: string;
            /** @description what went wrong, where and why */
            message: string;
            /** @description what to do about it */
            hint: string;
        };
        /** @description In shadow mode, the new flow was compared with the flow that answers, at the end of a turn. */
        ShadowComparedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "shadow_compared";
            /** @description the id of the new flow */
            flow: string;
            /** @description its hash */
            flow_hash: string;
            /**
             * @description `same`, `different` or `unknown`
             * @enum {string}
             */
            verdict: "same" | "different" | "unknown";
            /** @description the decision of the answering flow: `status`, `node`, `key`, and the actions with effects that it `performed` */
            answering: JsonObject;
            /** @description the decision of the flow in the shadow; empty if it is unknown */
            shadow: JsonObject;
            /**
             * @description why it is unknown
             * @default
             */
            reason: string;
        };
        /** @description The thread began as a branch (`graphwright threads branch`): the events before this one are copied from another thread. The effects of changed answers follow. */
        BranchedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "branched";
            /** @description the other thread */
            thread: string;
            /** @description the number of its last copied event */
            at: number;
            /**
             * @description the keys of the changed answers
             * @default []
             */
            answers: string[];
            /**
             * @description the random token of the new thread
             * @default
             */
            born: string;
        };
        /** @description The model that read a reply detected another language than before, or an action wrote another one into the channel that the flow names as `language`. */
        LanguageReadEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "language_read";
            /** @description its tag */
            language: string;
        };
        /** @description An action without effects wrote channels that depend on answers, so a corrected answer makes it run again. */
        ChannelsComputedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "channels_computed";
            /** @description the id of the node: the question, action or terminal that the event is about */
            node: string;
            /** @description for each channel, the action that computed it: `[node, scopes, names that changed since]` */
            sources: {
                [key: string]: Json[];
            };
            /**
             * @description channels that are no longer computed by an action
             * @default []
             */
            forgotten: string[];
        };
        /** @description The position of the thread changed. It is the last event of each walk. */
        MovedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "moved";
            /** @description the stack of frames, each `[graph, node, scopes, detour]` */
            position: JsonObject;
            /**
             * @description `waiting`, `performing` or `ended`
             * @enum {string}
             */
            mode: "waiting" | "performing" | "ended";
            /** @description the number of actions that the thread has begun */
            visit: number;
            /**
             * @description the decisions that a correction may change: the number of earlier ones that are `kept`, the numbers of those whose round `ended`, and the new ones that were `taken`; null if there are none
             * @default null
             */
            way?: JsonObject | null;
        };
        /** @description The last event of a run that failed without a turn. */
        RunFailedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "run_failed";
            problem: components["schemas"]["Problem"];
            /** @description The message, if it must be sent again because no turn read it. */
            unread?: string;
        };
        /** @description The last event of a run that was cancelled. */
        RunCancelledEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "run_cancelled";
            run: string;
            /** @description The message, if it must be sent again because no turn read it. */
            unread?: string;
        };
        /** @description The `data` of one frame of a run. The last one is `turn_ended`, `run_failed` or `run_cancelled`. */
        RunEvent: components["schemas"]["NodeEnteredEvent"] | components["schemas"]["QuestionPassedEvent"] | components["schemas"]["GuardCheckedEvent"] | components["schemas"]["EdgeTakenEvent"] | components["schemas"]["SubgraphEnteredEvent"] | components["schemas"]["SubgraphLeftEvent"] | components["schemas"]["AnswerDroppedEvent"] | components["schemas"]["QuestionsReopenedEvent"] | components["schemas"]["ChannelsStaleEvent"] | components["schemas"]["ConstraintUnmetEvent"] | components["schemas"]["JumpedEvent"] | components["schemas"]["PathVotedEvent"] | components["schemas"]["PathSwitchedEvent"] | components["schemas"]["PathLockedEvent"] | components["schemas"]["PathCorrectedEvent"] | components["schemas"]["PathRefusedEvent"] | components["schemas"]["TurnStartedEvent"] | components["schemas"]["HandedOverEvent"] | components["schemas"]["FileGivenEvent"] | components["schemas"]["TurnResumedEvent"] | components["schemas"]["ModelCalledEvent"] | components["schemas"]["AnswerCommittedEvent"] | components["schemas"]["AnswerRefusedEvent"] | components["schemas"]["AnswerUnknownEvent"] | components["schemas"]["AnswersClearedEvent"] | components["schemas"]["ChannelsResetEvent"] | components["schemas"]["StateAdaptedEvent"] | components["schemas"]["FlowMigratedEvent"] | components["schemas"]["NotUnderstoodEvent"] | components["schemas"]["EscalatedEvent"] | components["schemas"]["SaidEvent"] | components["schemas"]["SayingEvent"] | components["schemas"]["PromptedEvent"] | components["schemas"]["ConfirmationGivenEvent"] | components["schemas"]["ConfirmationMissingEvent"] | components["schemas"]["ActionStartedEvent"] | components["schemas"]["ActionFinishedEvent"] | components["schemas"]["ActionFailedEvent"] | components["schemas"]["OutcomeUnknownEvent"] | components["schemas"]["OutcomeDecidedEvent"] | components["schemas"]["ToolCalledEvent"] | components["schemas"]["ChannelsWrittenEvent"] | components["schemas"]["ArtifactMadeEvent"] | components["schemas"]["InteractionNotedEvent"] | components["schemas"]["TurnFailedEvent"] | components["schemas"]["ShadowComparedEvent"] | components["schemas"]["BranchedEvent"] | components["schemas"]["LanguageReadEvent"] | components["schemas"]["ChannelsComputedEvent"] | components["schemas"]["MovedEvent"] | components["schemas"]["TurnResult"] | components["schemas"]["RunFailedEvent"] | components["schemas"]["RunCancelledEvent"];
        /** @description The result of one conversation, as `graphwright test --json` shows it. */
        ConversationResult: {
            file: string;
            /** @enum {string} */
            status: "passed" | "failed" | "unusable";
            /** @description If the file could be run. */
            agent?: string;
            /** @description If the file could be run. */
            turns?: number;
            /** @description If the file could be run. */
            seconds?: number;
            /** @description If the file could be run: `matched`, `differs`, `written` or `none`. */
            trace?: string;
            /** @description If the file could be run. */
            mismatches?: components["schemas"]["Mismatch"][];
            /** @description If the file could be run: its events. */
            trace_lines?: string[];
            /** @description If the agent has a flow in shadow mode. */
            shadow?: JsonObject[];
            /** @description If the file could not be run. */
            error?: components["schemas"]["WhyFailed"];
        };
        /** @description The coverage of a flow by conversations. */
        Coverage: {
            flow: string;
            file: string;
            conversations: number;
            edges: components["schemas"]["Reached"];
            guards: components["schemas"]["Reached"];
            nodes: components["schemas"]["Reached"];
        };
        /** @description Something that no conversation reached. */
        Gap: {
            what: string;
            guard: string;
            /** @description What never happened to it. */
            never: string;
            line: number;
            /** @description The layer that contains it, if the flow has layers. */
            file?: string;
        };
        /** @description A difference between a conversation and what it expects. */
        Mismatch: {
            turn: number | null;
            /** @description The line in the file of the conversation. */
            line: number | null;
            code: string;
            message: string;
            diff: string[];
            /** @description What the user said in the turn. */
            said: string;
            /** @description The part of the turn that differs, such as `node`, `reply` or `answer KEY`, if one. */
            part: string;
            /** @description What the part should be: a text, or JSON. */
            expected: string;
            /** @description What it is. */
            got: string;
        };
        /** @description How many elements of a kind the conversations reached. */
        Reached: {
            reached: number;
            total: number;
            percent: number;
            never: components["schemas"]["Gap"][];
        };
        /** @description One conversation was run. */
        TestFinished: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "result";
            result: components["schemas"]["ConversationResult"];
        };
        /** @description The last event of a test run; null if no conversation could be run. */
        TestsCovered: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "coverage";
            coverage: components["schemas"]["Coverage"] | null;
        };
        /** @description The test run was stopped. */
        TestsFailed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "error";
            error: components["schemas"]["WhyFailed"];
        };
        /** @description The first event of a test run: the number of conversations. */
        TestsStarted: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "total";
            total: number;
        };
        TestEvent: components["schemas"]["TestsStarted"] | components["schemas"]["TestFinished"] | components["schemas"]["TestsCovered"] | components["schemas"]["TestsFailed"];
        /** @description The result of a conversation on a proposed document. */
        ConversationOutcome: {
            file: string;
            passed: boolean;
            problems: string[];
        };
        /** @description The work on a description begins. */
        DescriptionBegun: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "begun";
        };
        /** @description The work failed. */
        DescriptionFailed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "error";
            code: string;
            message: string;
            hint: string;
        };
        /** @description What is being done: asking the model, checking its commands, or running one of the conversations. */
        DescriptionProgress: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "progress";
            /** @enum {string} */
            step: "asking" | "checking" | "testing";
            round: number;
            /** @description The maximum number of rounds. */
            rounds: number;
            /** @description The number of the conversation that runs; 0 if none does. */
            conversation: number;
            conversations: number;
        };
        /** @description The proposed change. Nothing is stored. */
        DescriptionProposal: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "proposal";
            /** @enum {string} */
            status: "proposed" | "unproven" | "invalid" | "question" | "cannot";
            summary: string;
            /** @description What the model asks before it can propose a change; may be empty. */
            question: string;
            /** @description Why the change is not possible; may be empty. */
            cannot: string;
            /** @description What the change needs besides the document, such as an action. */
            demands: string[];
            commands: JsonObject[];
            refused: string[];
            diagnostics: components["schemas"]["Diagnostic"][];
            difference: components["schemas"]["ChangeLine"][];
            cautions: string[];
            conversations: components["schemas"]["ConversationOutcome"][];
            /** @description New or changed conversations, by path. */
            files: {
                [key: string]: string;
            };
            /** @description The new document. */
            text: string;
            rounds: number;
        };
        /** @description The outcome of one reply of the model. */
        DescriptionRound: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "round";
            round: number;
            commands: number;
            /** @description Why commands were refused. */
            refused: string[];
            errors: number;
            warnings: number;
            /** @description How many conversations passed. */
            passed: number;
            failed: number;
        };
        DescriptionEvent: components["schemas"]["DescriptionBegun"] | components["schemas"]["DescriptionProgress"] | components["schemas"]["DescriptionRound"] | components["schemas"]["DescriptionProposal"] | components["schemas"]["DescriptionFailed"];
        /** @description A part of a reply. */
        ChatCompletionChunk: {
            id: string;
            /** @description Seconds since 1970. */
            created: number;
            model: string;
            /** @constant */
            object: "chat.completion.chunk";
            /** @description Empty in the chunk with the usage. */
            choices: components["schemas"]["ChunkChoice"][];
            /** @description If the request asked for it, in the last chunk. */
            usage?: components["schemas"]["CompletionUsage"];
        };
        /** @description The only choice of a chunk. */
        ChunkChoice: {
            /** @constant */
            index: 0;
            delta: components["schemas"]["CompletionDelta"];
            /** @description `stop` in the last chunk with text. */
            finish_reason: "stop" | null;
            logprobs: null;
        };
        /** @description The text that a chunk adds. */
        CompletionDelta: {
            /**
             * @description In the first chunk.
             * @constant
             */
            role?: "assistant";
            /** @description If the chunk has text. */
            content?: string;
        };
        /** @description The turn failed; the last chunk of its stream. */
        CompletionFailed: {
            error: components["schemas"]["OpenAiError"];
        };
        CompletionEvent: components["schemas"]["ChatCompletionChunk"] | components["schemas"]["CompletionFailed"];
        /** @description Changes an activity message's content incrementally. */
        AguiActivityDeltaEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ACTIVITY_DELTA";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            messageId: string;
            activityType: string;
            patch: (components["schemas"]["AguiAddOperation"] | components["schemas"]["AguiRemoveOperation"] | components["schemas"]["AguiReplaceOperation"] | components["schemas"]["AguiMoveOperation"] | components["schemas"]["AguiCopyOperation"] | components["schemas"]["AguiTestOperation"])[];
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Structured progress that is not conversation content, materialised as a
         *     message so it keeps its place in the sequence. Stands alone rather than
         *     composing BaseMessage, because its content is an object rather than a
         *     string.
         */
        AguiActivityMessage: {
            /** @default null */
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "activity";
            activityType: string;
            content: JsonObject;
            /** @default null */
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Reports structured progress that is not conversation content, such as a
         *     step a UI renders as its own widget.
         */
        AguiActivitySnapshotEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ACTIVITY_SNAPSHOT";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            messageId: string;
            activityType: string;
            content: JsonObject;
            /** @default null */
            replace?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Inserts value at path. RFC 6902 section 4.1. */
        AguiAddOperation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            op: "add";
            path: string;
            value: Json;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description A message from the agent. Content is optional because a turn may consist
         *     only of tool calls.
         */
        AguiAssistantMessage: {
            /** @default null */
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "assistant";
            /** @default null */
            name?: string | null;
            /** @default null */
            encryptedValue?: string | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            content?: string | null;
            /** @default null */
            toolCalls?: components["schemas"]["AguiToolCall"][] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description An audio part. */
        AguiAudioPart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "audio";
            /** @default null */
            id?: string | null;
            source: components["schemas"]["AguiDataSource"] | components["schemas"]["AguiUrlSource"] | components["schemas"]["AguiFileSource"];
            /** @default null */
            metadata?: unknown | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description A named piece of ambient information given to the agent for the run,
         *     distinct from the conversation.
         */
        AguiContext: {
            description: string;
            value: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Copies the value at from to path. RFC 6902 section 4.5. */
        AguiCopyOperation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            op: "copy";
            from: string;
            path: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description The protocol's extension point for an application's own events. Anything
         *     a consumer does with one is outside the protocol.
         */
        AguiCustomEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "CUSTOM";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            name: string;
            value: Json;
        } & {
            [key: string]: unknown;
        };
        /** @description Bytes carried inline. */
        AguiDataSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "data";
            value: string;
            mimeType: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Instructions from the application developer. */
        AguiDeveloperMessage: {
            /** @default null */
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "developer";
            /** @default null */
            name?: string | null;
            /** @default null */
            encryptedValue?: string | null;
            /** @default null */
            metadata?: JsonObject | null;
            content: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A document part. */
        AguiDocumentPart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "document";
            /** @default null */
            id?: string | null;
            source: components["schemas"]["AguiDataSource"] | components["schemas"]["AguiUrlSource"] | components["schemas"]["AguiFileSource"];
            /** @default null */
            metadata?: unknown | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Bytes already at the provider, named by a handle the provider issued: an
         *     OpenAI or Anthropic file id, a Gemini file URI, a storage URL only that
         *     provider can read. No bytes travel and nothing is fetched. Only the
         *     provider that minted the handle can resolve it; a peer that cannot drops
         *     the part as it drops any part it cannot use.
         */
        AguiFileSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "file";
            value: string;
            /** @default null */
            provider?: string | null;
            /** @default null */
            mimeType?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The name and arguments of a tool call. */
        AguiFunctionCall: {
            name: string;
            arguments: string;
        } & {
            [key: string]: unknown;
        };
        /** @description An image part. */
        AguiImagePart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "image";
            /** @default null */
            id?: string | null;
            source: components["schemas"]["AguiDataSource"] | components["schemas"]["AguiUrlSource"] | components["schemas"]["AguiFileSource"];
            /** @default null */
            metadata?: unknown | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Something a run needs from outside before it can continue, such as an
         *     approval or a missing value.
         */
        AguiInterrupt: {
            /** @default null */
            subagentRunId?: string | null;
            id: string;
            reason: string;
            /** @default null */
            message?: string | null;
            /** @default null */
            toolCallId?: string | null;
            /** @default null */
            responseSchema?: JsonObject | null;
            /** @default null */
            expiresAt?: string | null;
            /** @default null */
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description The complete set of messages the producer owns, in order.
         *     Conversation-wide rather than a plain overwrite: a consumer may keep
         *     messages of its own that no producer tracks, so exactly how a snapshot
         *     reconciles with those is behavioural and belongs in the prose. Being
         *     conversation-wide it cannot belong to a single subagent, so it carries
         *     no attribution; it does establish which subagent owns each message it
         *     contains, through the messages themselves.
         */
        AguiMessagesSnapshotEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "MESSAGES_SNAPSHOT";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            messages: (components["schemas"]["AguiDeveloperMessage"] | components["schemas"]["AguiSystemMessage"] | components["schemas"]["AguiAssistantMessage"] | components["schemas"]["AguiUserMessage"] | components["schemas"]["AguiToolMessage"] | components["schemas"]["AguiActivityMessage"] | components["schemas"]["AguiReasoningMessage"])[];
        } & {
            [key: string]: unknown;
        };
        /** @description Moves the value at from to path. RFC 6902 section 4.4. */
        AguiMoveOperation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            op: "move";
            from: string;
            path: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Passes a provider-native event through untranslated, for consumers that
         *     need detail the protocol does not model.
         */
        AguiRawEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "RAW";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            event: Json;
            /** @default null */
            source?: string | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Carries a provider's opaque, encrypted reasoning artefact, which a
         *     consumer stores and returns on a later turn without being able to read
         *     it.
         */
        AguiReasoningEncryptedValueEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "REASONING_ENCRYPTED_VALUE";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            /** @enum {string} */
            subtype: "tool-call" | "message";
            entityId: string;
            encryptedValue: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Closes a span of reasoning. */
        AguiReasoningEndEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "REASONING_END";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            messageId: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description A span of the agent's reasoning, materialised as a message. Stands alone
         *     rather than composing BaseMessage, because it carries no name.
         */
        AguiReasoningMessage: {
            /** @default null */
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "reasoning";
            content: string;
            /** @default null */
            encryptedValue?: string | null;
            /** @default null */
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description A shorthand that stands in for a reasoning message's start, content and
         *     end sequence.
         */
        AguiReasoningMessageChunkEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "REASONING_MESSAGE_CHUNK";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            /** @default null */
            messageId?: string | null;
            /** @default null */
            delta?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Appends a fragment to a streamed reasoning message. */
        AguiReasoningMessageContentEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "REASONING_MESSAGE_CONTENT";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            messageId: string;
            delta: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Closes a streamed reasoning message. */
        AguiReasoningMessageEndEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "REASONING_MESSAGE_END";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            messageId: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Opens a streamed reasoning message. */
        AguiReasoningMessageStartEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "REASONING_MESSAGE_START";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            messageId: string;
            /**
             * @default reasoning
             * @constant
             */
            role?: "reasoning";
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Opens a span of reasoning. A span may contain several reasoning
         *     messages.
         */
        AguiReasoningStartEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "REASONING_START";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            messageId: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Removes the value at path. RFC 6902 section 4.2. */
        AguiRemoveOperation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            op: "remove";
            path: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Replaces the value at path. RFC 6902 section 4.3. */
        AguiReplaceOperation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            op: "replace";
            path: string;
            value: Json;
        } & {
            [key: string]: unknown;
        };
        /** @description An answer to one interrupt, sent on the run that continues from it. */
        AguiResumeEntry: {
            interruptId: string;
            /** @enum {string} */
            status: "resolved" | "cancelled";
            /** @default null */
            payload?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description A request to run an agent. Also echoed back as RUN_STARTED.input. Only
         *     threadId, runId and messages are required: those are the three the SDKs
         *     already agree on, and for tools and context an absent key and an empty
         *     array mean the same thing, so requiring them would catch nothing a
         *     producer could get wrong.
         */
        AguiRunAgentInput: {
            threadId: string;
            runId: string;
            /** @default null */
            protocolVersion?: string | null;
            /** @default null */
            parentRunId?: string | null;
            /** @default null */
            state?: unknown | null;
            messages: (components["schemas"]["AguiDeveloperMessage"] | components["schemas"]["AguiSystemMessage"] | components["schemas"]["AguiAssistantMessage"] | components["schemas"]["AguiUserMessage"] | components["schemas"]["AguiToolMessage"] | components["schemas"]["AguiActivityMessage"] | components["schemas"]["AguiReasoningMessage"])[];
            /** @default null */
            tools?: components["schemas"]["AguiTool"][] | null;
            /** @default null */
            context?: components["schemas"]["AguiContext"][] | null;
            /** @default null */
            forwardedProps?: unknown | null;
            /** @default null */
            resume?: components["schemas"]["AguiResumeEntry"][] | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Ends a run that failed. Run-scoped, so it carries no subagent
         *     attribution; a subagent that fails without ending the run reports
         *     SUBAGENT_ERROR instead.
         */
        AguiRunErrorEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "RUN_ERROR";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            message: string;
            /** @default null */
            code?: string | null;
            /** @default null */
            usage?: components["schemas"]["AguiTokenUsage"][] | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description The run was stopped before it completed, by whoever was running it, and
         *     did not fail. Neither success nor interrupt: nothing was produced as a
         *     result, and nothing is waited for, so the next run on the thread is an
         *     ordinary new run rather than a resume. Closed like its siblings: a
         *     cancelled run has no interrupts to carry. Named in the schema before 1.0
         *     because an outcome a consumer does not recognise is stripped and read as
         *     success — a cancellation added later would reach every 1.0 consumer as a
         *     completed run.
         */
        AguiRunFinishedCancelledOutcome: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "cancelled";
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Closes a run that did not fail. Run-scoped, so it carries no subagent
         *     attribution.
         */
        AguiRunFinishedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "RUN_FINISHED";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            threadId: string;
            runId: string;
            /** @default null */
            result?: unknown | null;
            /** @default null */
            outcome?: (components["schemas"]["AguiRunFinishedSuccessOutcome"] | components["schemas"]["AguiRunFinishedInterruptOutcome"] | components["schemas"]["AguiRunFinishedCancelledOutcome"]) | null;
            /** @default null */
            usage?: components["schemas"]["AguiTokenUsage"][] | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description The run is paused, waiting for something outside it. Resuming means
         *     starting a new run whose resume entries answer these interrupts.
         */
        AguiRunFinishedInterruptOutcome: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "interrupt";
            interrupts: components["schemas"]["AguiInterrupt"][];
        } & {
            [key: string]: unknown;
        };
        /**
         * @description The run completed. Equivalent to an absent outcome. Closed like every
         *     other object, which is also what keeps it from carrying the suspended
         *     sibling's interrupts — a success with an interrupt still pending would
         *     be a contradiction, not an extension. A completed run may still have
         *     left frontend tool calls for the application to answer;
         *     pendingToolCallIds names them.
         */
        AguiRunFinishedSuccessOutcome: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "success";
            /** @default null */
            pendingToolCallIds?: string[] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Opens a run. Run-scoped, so it carries no subagent attribution. */
        AguiRunStartedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "RUN_STARTED";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            threadId: string;
            runId: string;
            /** @default null */
            protocolVersion?: string | null;
            /** @default null */
            parentRunId?: string | null;
            /** @default null */
            input?: components["schemas"]["AguiRunAgentInput"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Changes the agent state incrementally. */
        AguiStateDeltaEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "STATE_DELTA";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            delta: (components["schemas"]["AguiAddOperation"] | components["schemas"]["AguiRemoveOperation"] | components["schemas"]["AguiReplaceOperation"] | components["schemas"]["AguiMoveOperation"] | components["schemas"]["AguiCopyOperation"] | components["schemas"]["AguiTestOperation"])[];
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Replaces the agent state wholesale. Sent when a delta cannot express the
         *     change, or to resynchronise a consumer.
         */
        AguiStateSnapshotEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "STATE_SNAPSHOT";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            snapshot: Json;
        } & {
            [key: string]: unknown;
        };
        /** @description Closes a named step. */
        AguiStepFinishedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "STEP_FINISHED";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            stepName: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Opens a named step within a run, for producers whose frameworks have a
         *     step concept worth surfacing.
         */
        AguiStepStartedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "STEP_STARTED";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            stepName: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Reports that a subagent invocation failed. The run may continue: a
         *     parent agent is free to handle a failed subagent, which is why this is
         *     not RUN_ERROR.
         */
        AguiSubagentErrorEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SUBAGENT_ERROR";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            subagentRunId: string;
            message: string;
            /** @default null */
            code?: string | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Ends a subagent invocation's segment of this run, either because the
         *     work completed or because it is suspended awaiting outside input.
         */
        AguiSubagentFinishedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SUBAGENT_FINISHED";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            subagentRunId: string;
            /** @default null */
            result?: unknown | null;
            /** @default null */
            outcome?: (components["schemas"]["AguiSubagentFinishedSuccessOutcome"] | components["schemas"]["AguiSubagentFinishedSuspendedOutcome"]) | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The subagent completed its work. Equivalent to an absent outcome. */
        AguiSubagentFinishedSuccessOutcome: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "success";
        } & {
            [key: string]: unknown;
        };
        /**
         * @description The subagent is paused awaiting outside input. Terminal for this stream,
         *     not for the subagent: a later run may continue the same invocation once
         *     the interrupts are answered.
         */
        AguiSubagentFinishedSuspendedOutcome: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "suspended";
            /** @default null */
            interruptIds?: string[] | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Announces that a subagent invocation has begun. Everything the subagent
         *     produces afterwards is attributed by carrying its subagentRunId, so a
         *     consumer can group the work without replaying the stream. Composed from
         *     BaseEvent alone rather than Attributable, because here subagentRunId
         *     identifies the subagent rather than attributing the event to one;
         *     attribution to an enclosing subagent is parentSubagentRunId.
         */
        AguiSubagentStartedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SUBAGENT_STARTED";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            subagentRunId: string;
            name: string;
            /** @default null */
            description?: string | null;
            /** @default null */
            parentSubagentRunId?: string | null;
            /** @default null */
            parentToolCallId?: string | null;
            /** @default null */
            parentMessageId?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Instructions from the system. */
        AguiSystemMessage: {
            /** @default null */
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "system";
            /** @default null */
            name?: string | null;
            /** @default null */
            encryptedValue?: string | null;
            /** @default null */
            metadata?: JsonObject | null;
            content: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Asserts that the value at path equals value. RFC 6902 section 4.6. */
        AguiTestOperation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            op: "test";
            path: string;
            value: Json;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description A shorthand that stands in for a start, content and end sequence, for
         *     producers that cannot know in advance where a message begins. Every
         *     field is optional because a continuation chunk omits what has not
         *     changed; which message a field-less chunk continues is a sequence
         *     question the prose specification answers.
         */
        AguiTextMessageChunkEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "TEXT_MESSAGE_CHUNK";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            /** @default null */
            messageId?: string | null;
            /** @default null */
            role?: ("developer" | "system" | "assistant" | "user") | null;
            /** @default null */
            delta?: string | null;
            /** @default null */
            name?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Appends a fragment to a streamed text message. */
        AguiTextMessageContentEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "TEXT_MESSAGE_CONTENT";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            messageId: string;
            delta: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Closes a streamed text message. */
        AguiTextMessageEndEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "TEXT_MESSAGE_END";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            messageId: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Opens a streamed text message. The content arrives as
         *     TEXT_MESSAGE_CONTENT events and the message closes with
         *     TEXT_MESSAGE_END.
         */
        AguiTextMessageStartEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "TEXT_MESSAGE_START";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            messageId: string;
            /** @default null */
            role?: ("developer" | "system" | "assistant" | "user") | null;
            /** @default null */
            name?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A text part. */
        AguiTextPart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
            /** @default null */
            id?: string | null;
            text: string;
            /** @default null */
            metadata?: unknown | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Token counts for one provider and model, in the protocol's own
         *     accounting: every count is either a total or a named part of one, so
         *     entries from different providers add up without double-counting.
         *     inputTokens and outputTokens are the totals; reasoningTokens,
         *     cachedInputTokens and cacheWriteInputTokens are parts of them, never
         *     additions to them; totalTokens is the two totals summed. Every field is
         *     a label or a number — nothing content-bearing or identifying, no
         *     prompts, completions, messages, or thread, run and user identifiers.
         */
        AguiTokenUsage: {
            /** @default null */
            provider?: string | null;
            /** @default null */
            model?: string | null;
            /** @default null */
            inputTokens?: number | null;
            /** @default null */
            outputTokens?: number | null;
            /** @default null */
            totalTokens?: number | null;
            /** @default null */
            reasoningTokens?: number | null;
            /** @default null */
            cachedInputTokens?: number | null;
            /** @default null */
            cacheWriteInputTokens?: number | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A tool the agent may call. */
        AguiTool: {
            name: string;
            description: string;
            /** @default null */
            parameters?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description A call an assistant message made. Carries no subagent attribution of its
         *     own and inherits its containing message's, since several calls can share
         *     one parent.
         */
        AguiToolCall: {
            id: string;
            /**
             * @default function
             * @constant
             */
            type?: "function";
            function: components["schemas"]["AguiFunctionCall"];
            /** @default null */
            encryptedValue?: string | null;
            /** @default null */
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Appends a fragment of a tool call's arguments. */
        AguiToolCallArgsEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "TOOL_CALL_ARGS";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            toolCallId: string;
            delta: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description A shorthand that stands in for a tool call's start, args and end
         *     sequence. Every field is optional for the same reason as
         *     TEXT_MESSAGE_CHUNK.
         */
        AguiToolCallChunkEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "TOOL_CALL_CHUNK";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            /** @default null */
            toolCallId?: string | null;
            /** @default null */
            toolCallName?: string | null;
            /** @default null */
            parentMessageId?: string | null;
            /** @default null */
            delta?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Closes a tool call, meaning its arguments are complete. */
        AguiToolCallEndEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "TOOL_CALL_END";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            toolCallId: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Carries what a tool returned. Mints a tool message rather than appending
         *     to an existing one, which is why it has its own messageId.
         */
        AguiToolCallResultEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "TOOL_CALL_RESULT";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            messageId: string;
            toolCallId: string;
            content: string | (components["schemas"]["AguiTextPart"] | components["schemas"]["AguiImagePart"] | components["schemas"]["AguiAudioPart"] | components["schemas"]["AguiVideoPart"] | components["schemas"]["AguiDocumentPart"])[];
            /** @default null */
            role?: "tool" | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Opens a tool call. The arguments arrive as TOOL_CALL_ARGS events and the
         *     call closes with TOOL_CALL_END.
         */
        AguiToolCallStartEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "TOOL_CALL_START";
            /** @default null */
            timestamp?: number | null;
            /** @default null */
            rawEvent?: unknown | null;
            /** @default null */
            metadata?: JsonObject | null;
            /** @default null */
            subagentRunId?: string | null;
            toolCallId: string;
            toolCallName: string;
            /** @default null */
            parentMessageId?: string | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description What a tool returned, as a message in the conversation. Stands alone
         *     rather than composing BaseMessage, because it carries no name.
         */
        AguiToolMessage: {
            /** @default null */
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "tool";
            content: string | (components["schemas"]["AguiTextPart"] | components["schemas"]["AguiImagePart"] | components["schemas"]["AguiAudioPart"] | components["schemas"]["AguiVideoPart"] | components["schemas"]["AguiDocumentPart"])[];
            toolCallId: string;
            /** @default null */
            error?: string | null;
            /** @default null */
            encryptedValue?: string | null;
            /** @default null */
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Bytes referenced by URL, fetched by whoever needs them. */
        AguiUrlSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "url";
            value: string;
            /** @default null */
            mimeType?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A message from the person using the application. */
        AguiUserMessage: {
            /** @default null */
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "user";
            /** @default null */
            name?: string | null;
            /** @default null */
            encryptedValue?: string | null;
            /** @default null */
            metadata?: JsonObject | null;
            content: string | (components["schemas"]["AguiTextPart"] | components["schemas"]["AguiImagePart"] | components["schemas"]["AguiAudioPart"] | components["schemas"]["AguiVideoPart"] | components["schemas"]["AguiDocumentPart"])[];
        } & {
            [key: string]: unknown;
        };
        /** @description A video part. */
        AguiVideoPart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "video";
            /** @default null */
            id?: string | null;
            source: components["schemas"]["AguiDataSource"] | components["schemas"]["AguiUrlSource"] | components["schemas"]["AguiFileSource"];
            /** @default null */
            metadata?: unknown | null;
        } & {
            [key: string]: unknown;
        };
        AguiEvent: components["schemas"]["AguiTextMessageStartEvent"] | components["schemas"]["AguiTextMessageContentEvent"] | components["schemas"]["AguiTextMessageEndEvent"] | components["schemas"]["AguiTextMessageChunkEvent"] | components["schemas"]["AguiToolCallStartEvent"] | components["schemas"]["AguiToolCallArgsEvent"] | components["schemas"]["AguiToolCallEndEvent"] | components["schemas"]["AguiToolCallChunkEvent"] | components["schemas"]["AguiToolCallResultEvent"] | components["schemas"]["AguiStateSnapshotEvent"] | components["schemas"]["AguiStateDeltaEvent"] | components["schemas"]["AguiMessagesSnapshotEvent"] | components["schemas"]["AguiActivitySnapshotEvent"] | components["schemas"]["AguiActivityDeltaEvent"] | components["schemas"]["AguiRawEvent"] | components["schemas"]["AguiCustomEvent"] | components["schemas"]["AguiRunStartedEvent"] | components["schemas"]["AguiRunFinishedEvent"] | components["schemas"]["AguiRunErrorEvent"] | components["schemas"]["AguiStepStartedEvent"] | components["schemas"]["AguiStepFinishedEvent"] | components["schemas"]["AguiReasoningStartEvent"] | components["schemas"]["AguiReasoningMessageStartEvent"] | components["schemas"]["AguiReasoningMessageContentEvent"] | components["schemas"]["AguiReasoningMessageEndEvent"] | components["schemas"]["AguiReasoningMessageChunkEvent"] | components["schemas"]["AguiReasoningEndEvent"] | components["schemas"]["AguiReasoningEncryptedValueEvent"] | components["schemas"]["AguiSubagentStartedEvent"] | components["schemas"]["AguiSubagentFinishedEvent"] | components["schemas"]["AguiSubagentErrorEvent"];
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    list_agents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_Agent_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_agent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAgent"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentWithFlow"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_templates: {
        parameters: {
            query?: {
                language?: "en" | "de";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_Template_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_agent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentWithFlow"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    describe_change: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Description"];
            };
        };
        responses: {
            /** @description `begun`, `progress` for each step, a `round` for each reply, then `proposal` or `error`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["DescriptionEvent"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_flows: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_FlowOfAgent_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_flow_schema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowSchema"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_palette: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Palette"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftText"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    save_draft: {
        parameters: {
            query?: never;
            header?: {
                "if-match"?: string;
            };
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Edited"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftText"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    check_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Edited"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftChecked"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    test_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestRun"];
            };
        };
        responses: {
            /** @description `total`, a `result` for each conversation, then `coverage`; or an `error`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["TestEvent"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    preview_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Edited"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preview"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    publish_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Publication"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_versions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_Version_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionText"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compare_documents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Two"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Compared"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    evaluate_guards: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Sampled"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GuardResults"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    examine_assurances: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Edited"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_AssuranceResult_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Exported-Input"];
            };
        };
        responses: {
            /** @description The document in this format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": JsonObject;
                    "image/svg+xml": string;
                    "text/vnd.mermaid": string;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_draft_layers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Edited"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftLayers"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_trials: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_Thread_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    begin_trial: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Thread"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    record_trial: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Recording"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordedConversation"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    remove_conversation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_flow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowRead"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    draw_agent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": unknown;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    draw_thread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": unknown;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_thread_flow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadFlow"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    check_flow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowText"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checked"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    draw_flow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowText"];
            };
        };
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": unknown;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_threads: {
        parameters: {
            query?: {
                agent?: string;
                status?: ("new" | "running" | "cut_short" | "waiting" | "ended" | "failed") | null;
                q?: string;
                pinned?: boolean | null;
                folder?: string;
                families?: boolean;
                files?: boolean;
                usage?: boolean;
                last?: boolean;
                /** @description ISO 8601, in UTC unless it has a zone; empty for any time. */
                since?: string;
                /** @description ISO 8601, in UTC unless it has a zone; empty for any time. */
                until?: string;
                /** @description How many items at most. */
                limit?: number;
                /** @description `next` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_ListedThread_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_thread: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewThread"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Thread"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_thread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadWithRun"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_thread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    change_thread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ThreadChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Thread"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_messages: {
        parameters: {
            query?: {
                before?: number | null;
                /** @description How many items at most. */
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_MessageSaid_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_state: {
        parameters: {
            query?: {
                at?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["State"] | components["schemas"]["StateThen"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    branch_thread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchAt"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branched"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_thread: {
        parameters: {
            query?: {
                format?: "json" | "markdown";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Exported-Output"];
                    "text/markdown": unknown;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_models: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_Model_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_folders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_Folder_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_threads: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Several"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_branches: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_Branch_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    give_feedback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                turn: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFeedback"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedbackGiven"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    take_feedback_back: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                turn: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_turns: {
        parameters: {
            query?: {
                before?: number | null;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Turns"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    send_turn: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTurn"];
            };
        };
        responses: {
            /** @description The run; with `Accept: text/event-stream` its events. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                    "text/event-stream": components["schemas"]["RunEvent"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resume_thread: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Resumption"];
            };
        };
        responses: {
            /** @description The run; with `Accept: text/event-stream` its events. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                    "text/event-stream": components["schemas"]["RunEvent"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    watch_run: {
        parameters: {
            query?: {
                after?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["RunEvent"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_trace: {
        parameters: {
            query?: {
                since?: number;
                limit?: number;
                turn?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trace"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    upload_file: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Body_upload_file"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Uploaded"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_files: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_FileGiven_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                sha256: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_artifacts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_Artifact_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                artifact: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_datasets: {
        parameters: {
            query?: {
                rows?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataSets"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_interactions: {
        parameters: {
            query?: {
                /** @description How many items at most. */
                limit?: number;
                /** @description `next` of the page before. */
                cursor?: string;
                agent?: string;
                session?: string;
                type?: string;
                success?: boolean | null;
                /** @description ISO 8601, in UTC unless it has a zone; empty for any time. */
                since?: string;
                /** @description ISO 8601, in UTC unless it has a zone; empty for any time. */
                until?: string;
                q?: string;
                trials?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Logged_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    summarize_interactions: {
        parameters: {
            query?: {
                agent?: string;
                session?: string;
                type?: string;
                success?: boolean | null;
                /** @description ISO 8601, in UTC unless it has a zone; empty for any time. */
                since?: string;
                /** @description ISO 8601, in UTC unless it has a zone; empty for any time. */
                until?: string;
                q?: string;
                trials?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogSummary"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    record_conversations: {
        parameters: {
            query: {
                thread: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The files. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": unknown;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_current_user: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_Key_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyMade"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revoke_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_audit_entries: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: number | null;
                thread?: string;
                agent?: string;
                event?: ("approved" | "rejected" | "superseded" | "changed" | "performed" | "failed" | "unknown" | "key_made" | "key_revoked" | "published" | "migrated" | "migration_undone")[];
                q?: string;
                /** @description ISO 8601, in UTC unless it has a zone; empty for any time. */
                since?: string;
                /** @description ISO 8601, in UTC unless it has a zone; empty for any time. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Audited_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_audited_content: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditedContent"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_collections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_Collection_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_records: {
        parameters: {
            query?: {
                /** @description The latest first. */
                latest?: boolean;
                /** @description How many items at most. */
                limit?: number;
                /** @description `next` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Record_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_panes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_PaneShown_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_experiments: {
        parameters: {
            query?: {
                /** @description How many items at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Experiments"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_experiment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Experiment"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_graph: {
        parameters: {
            query?: {
                q?: string;
                label?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Graph"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_node: {
        parameters: {
            query: {
                node: string;
                depth?: number;
                limit?: number;
            };
            header?: never;
            path: {
                label: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Around"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_journal: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Entry_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_journal_entry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                goal: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntryWithSteps"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    undo_goal: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path: {
                goal: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Undo"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UndoPreview"] | components["schemas"]["EntryWithSteps"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    run_agent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunAgentInput"];
            };
        };
        responses: {
            /** @description The events of the protocol. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["AguiEvent"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_openai_models: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelCards"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_openai_model: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelCard"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_completion: {
        parameters: {
            query?: never;
            header?: {
                "X-OpenWebUI-Chat-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Completion"];
            };
        };
        responses: {
            /** @description The completion; with `stream` its chunks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatCompletion"];
                    "text/event-stream": components["schemas"]["CompletionEvent"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    check_alive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fine"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    check_ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fine"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
