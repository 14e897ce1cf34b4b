"""Interface texts in Portuguese and English. Every sentence a person reads from the bot's own mouth stands here."""

from core.language import detect_language
from core.settings import Settings
from core.types import Language

TEXTS: dict[str, tuple[str, str]] = {
    # key: (Portuguese, English)
    "unknown_command": (
        "Não conheço o comando `{name}`. Veja `help`.",
        "I do not know the command `{name}`. See `help`.",
    ),
    "nearest_command": (
        "Não conheço o comando `{name}`. Quis dizer `{nearest}`?",
        "I do not know the command `{name}`. Did you mean `{nearest}`?",
    ),
    "usage": ("Uso: `{usage}`", "Usage: `{usage}`"),
    "failed": (
        "Algo deu errado aqui e a pergunta não foi respondida. O administrador encontra o motivo no registro ({id}).",
        "Something went wrong here and the question was not answered. The admin finds the reason in the log ({id}).",
    ),
    "upload_same": (
        "`{file}`: já estava aqui, nada mudou.",
        "`{file}`: it was here already, nothing changed.",
    ),
    "upload_new": ("`{file}` guardado: {what}.", "`{file}` stored: {what}."),
    "upload_version": (
        "`{file}`: nova versão no lugar da anterior: {what}.",
        "`{file}`: new version in place of the former one: {what}.",
    ),
    "upload_replaced": (
        "`{file}`: a versão de @{by} tomou o lugar da de @{former}: {what}. Qualquer um dos dois, ou um administrador, pode "
        "apagá-la com `forget`.",
        "`{file}`: the version of @{by} took the place of @{former}'s: {what}. Either of them, or an admin, can delete it "
        "with `forget`.",
    ),
    "former_version": (
        "`{file}`: a mensagem com a versão mais nova foi apagada, e a versão anterior, de @{former}, já tinha sido "
        "substituída. Agora não leio nenhuma das duas. Para que a anterior volte a valer, envie-a de novo ou use "
        "`remember` na mensagem dela.",
        "`{file}`: the message with the newer version was deleted, and the one before it, by @{former}, had been replaced. "
        "I now read neither. To have the earlier one back, send it again or use `remember` on its message.",
    ),
    "upload_rejected": ("⚠ `{file}`: {reason}", "⚠ `{file}`: {reason}"),
    "upload_denied": (
        "Você não pode guardar arquivos neste canal.",
        "You may not store files in this channel.",
    ),
    "passages": ("{n} trecho(s)", "{n} passage(s)"),
    "relations": ("{n} com relações", "{n} with relations"),
    "table": ("tabela {name} com {rows} linha(s)", "table {name} with {rows} row(s)"),
    "rejected_rows": ("{n} linha(s) recusada(s): {why}", "{n} row(s) rejected: {why}"),
    "assumed": ("suposições: {what}", "assumptions: {what}"),
    "trace_unknown": (
        "Não encontrei essa resposta aqui, ou ela usou canais que você não lê.",
        "I did not find that answer here, or it used channels that you do not read.",
    ),
    "no_sources": (
        "Ainda não há arquivos que eu possa ler aqui.",
        "There are no files yet that I may read here.",
    ),
    "from_cache": (
        "Resposta guardada de uma pergunta anterior; peça de novo com `fresh` para refazer.",
        "Answer kept from an earlier question; ask with `fresh` to have it made anew.",
    ),
    "understood_as": ("Entendi como: {text}", "Understood as: {text}"),
    "trace_line": ("(rastro {id})", "(trace {id})"),
    "nothing_to_route": (
        "Não há pergunta nesse texto: nenhum acervo seria consultado.",
        "There is no question in that text: no store would be asked.",
    ),
    "decided": ("etapa {stage}, margem {margin}", "stage {stage}, margin {margin}"),
    "more_rows": ("… e mais {n} linha(s)", "… and {n} more row(s)"),
    "more_rows_at_least": (
        "… e pelo menos mais {n} linha(s); o resultado foi cortado no limite",
        "… and at least {n} more row(s); the result was cut at its limit",
    ),
    "this_channel": ("Este canal", "This channel"),
    "version": ("versão {n}", "version {n}"),
    "more_files": ("… e mais {n} arquivo(s)", "… and {n} more file(s)"),
    "no_files": ("Nenhum arquivo nesses caminhos.", "No files in these paths."),
    "note": ("nota", "note"),
    "forgotten": (
        "`{file}` saiu deste canal: {passages} trecho(s), {tables} tabela(s) e {relations} relação(ões) não são mais "
        "lidos aqui.",
        "`{file}` left this channel: {passages} passage(s), {tables} table(s) and {relations} relation(s) are no longer "
        "read here.",
    ),
    "linked": ("`{here}` agora lê `{channel}`.", "`{here}` now reads `{channel}`."),
    "link_waits": (
        "Anotado. Se `{channel}` for um canal privado, o link só vale depois que um membro dele executar "
        "`approve #{here}` lá dentro.",
        "Noted. If `{channel}` is a private channel, the link counts only after one of its members has run "
        "`approve #{here}` in it.",
    ),
    "unlinked": ("O link com `{channel}` foi desfeito.", "The link to `{channel}` was taken away."),
    "not_linked": ("Não há link com `{channel}` aqui.", "There is no link to `{channel}` here."),
    "approved": (
        "Quem lê `{channel}` agora também recebe respostas dos arquivos deste canal. `approve no #{channel}` desfaz.",
        "Readers of `{channel}` now also get answers from this channel's files. `approve no #{channel}` undoes it.",
    ),
    "closed": (
        "Quem lê `{channel}` não recebe mais nada dos arquivos deste canal.",
        "Readers of `{channel}` get nothing from this channel's files any more.",
    ),
    "nothing_to_approve": (
        "Nenhum administrador pediu que `{channel}` leia este canal, ou este canal não é privado.",
        "No admin has asked for `{channel}` to read this channel, or this channel is not private.",
    ),
    "no_servers_here": (
        "Este processo não controla servidores de modelos.",
        "This process controls no model servers.",
    ),
    "no_log": ("(sem registro)", "(no log)"),
    "server_off": ("desligado", "off"),
    "server_plugin": ("plugin", "plugin"),
    "server_remote": ("remoto", "remote"),
    "server_stopped": ("parado", "stopped"),
    "server_running": ("rodando", "running"),
    "server_sleeping": ("dormindo", "sleeping"),
    "server_failed": ("falhou", "failed"),
    "status_files": (
        "{n} arquivo(s) que você pode ler aqui, em {channels} canal(is)",
        "{n} file(s) that you may read here, in {channels} channel(s)",
    ),
    "status_mode": ("modo {mode}, vetores de {embedder}", "mode {mode}, vectors by {embedder}"),
    "platform_down": (
        "{name} não está no ar: {reason} As outras plataformas seguem; o bot tenta de novo sozinho.",
        "{name} is not being served: {reason} The other platforms go on; the bot tries again by itself.",
    ),
    "status_unchecked": (
        "⚠ sem verificar acessos, não respondo: {what}",
        "⚠ access cannot be checked, so I answer nothing: {what}",
    ),
    "status_plugins": ("{n} plugin(s) com falha", "{n} plugin(s) failed"),
    "status_answers": ("respostas escritas pelo modelo", "answers are written by the model"),
    "status_quotes": (
        "sem modelo de conversa: as respostas são citações e resultados de consultas",
        "no chat model: answers are quotations and query results",
    ),
    "help_ask": (
        "Pergunte mencionando-me ou por mensagem direta; envie arquivos ao canal e eu os leio. Comandos:",
        "Ask by mentioning me or in a direct message; send files to the channel and I read them. Commands:",
    ),
    "plugin_active": ("ativo", "active"),
    "plugin_failed": ("com falha", "failed"),
    "plugin_refused": ("recusado", "refused"),
    "plugin_why_not_allowed": (
        "não está em plugins.allow da configuração",
        "not in plugins.allow of the configuration",
    ),
    "plugin_why_import_hangs": (
        "não pôde ser importado em {seconds} s",
        "could not be imported within {seconds} s",
    ),
    "plugin_why_import_fails": ("não pôde ser importado ({kind})", "could not be imported ({kind})"),
    "plugin_why_not_installed": (
        "permitido pela configuração, mas nenhum pacote instalado o tem",
        "allowed by the configuration, but no installed package has it",
    ),
    "plugin_why_other_api": (
        "feito para a API de plugins {wanted}; este bot tem a {own}",
        "made for plugin API {wanted}, this bot has {own}",
    ),
    "plugin_why_name_taken": (
        "o nome {plugin!r} já é de outro plugin",
        "the name {plugin!r} is taken by another plugin",
    ),
    "plugin_why_bad_hooks": ("recusado pelos seus hooks: {said}", "refused by its hooks: {said}"),
    "plugin_why_spec_taken": (
        "{hook}: o nome {spec!r} já é de {other}",
        "{hook}: the name {spec!r} is taken by {other}",
    ),
    "plugin_why_still_away": (
        "não voltou de uma chamada anterior",
        "has not come back from an earlier call",
    ),
    "plugin_why_too_late": ("não respondeu em {seconds} s", "did not answer within {seconds} s"),
    "plugin_why_raised": ("deu erro: {kind}", "raised {kind}"),
    "plugin_why_no_sequence": (
        "{hook} precisa devolver uma sequência de {kind}",
        "{hook} must return a sequence of {kind}",
    ),
    "plugin_why_other_kind": (
        "{hook} deu algo que não é {kind}",
        "{hook} gave something that is not a {kind}",
    ),
    "plugin_written": (
        "Escrito em {folder}. Teste: `cd {folder} && python -m pytest`",
        "Written to {folder}. Test it: `cd {folder} && python -m pytest`",
    ),
    "audit_empty": ("Nada anotado nos canais que você lê.", "Nothing noted in the channels that you read."),
    "starting": ("preparando…", "getting ready…"),
    "serving": ("No ar: {names}. Ctrl-C encerra.", "Serving: {names}. Ctrl-C ends it."),
    "feedback_up": ("Obrigado! Anotado.", "Thank you! Noted."),
    "feedback_down": (
        "Anotado: essa resposta não será repetida do cache.",
        "Noted: that answer will not be repeated from the cache.",
    ),
    "not_kept": (
        "Não tenho linhas de consulta dessa resposta para você.",
        "I have no query rows of that answer for you.",
    ),
    "rows_file": ("Resultado da consulta ({n} linha(s)).", "Result of the query ({n} row(s))."),
    "rows_file_cut": (
        "Resultado da consulta: as primeiras {n} linha(s); há mais.",
        "Result of the query: the first {n} row(s); there are more.",
    ),
    "progress_read": ("`{file}`: lendo, {done} de {total}", "`{file}`: reading, {done} of {total}"),
    "progress_embed": ("`{file}`: indexando, {done} de {total}", "`{file}`: indexing, {done} of {total}"),
    "progress_index": ("`{file}`: guardando", "`{file}`: storing"),
    "bots_talk": (
        "Chega de conversa entre bots por aqui; uma pessoa pode continuar.",
        "Enough talk between bots here; a person may go on.",
    ),
    "whole_channel": (
        "**{channel}** (o canal inteiro, com as suas threads)",
        "**{channel}** (the whole channel with its threads)",
    ),
    "private_thread": ("**{channel}** (só esta thread privada)", "**{channel}** (this private thread alone)"),
    "listening": (
        "Em {where} respondo a toda pergunta. `listen off` desfaz.",
        "In {where} I answer every question. `listen off` undoes it.",
    ),
    "not_listening": (
        "Em {where} respondo só quando me mencionam.",
        "In {where} I answer only when mentioned.",
    ),
    "erase_asked": (
        "Isto apaga tudo o que guardo de {where}: {n} arquivo(s), conversas, respostas e links. Não há volta. Para apagar, "
        "envie `erase channel {code}` neste mesmo lugar.",
        "This erases all that I keep of {where}: {n} file(s), conversations, answers and links. It cannot be undone. To go "
        "on, send `erase channel {code}` in this same place.",
    ),
    "admins_only": ("Só administradores podem usar isso.", "Only admins may use this."),
    "configured_admins_only": (
        "Isso vale para o bot inteiro, então é só para quem está em `permissions.admins` na configuração.",
        "This concerns the whole bot, so it is only for those listed under `permissions.admins` in the configuration.",
    ),
    "discord_working": ("Procurando nos arquivos…", "Looking through the files…"),
    "discord_whole_text": ("O texto inteiro está em `{file}`.", "The whole text is in `{file}`."),
    "discord_file_too_large": (
        "⚠ `{file}` tem {size} MiB e o Discord aceita {limit} MiB aqui.",
        "⚠ `{file}` is {size} MiB and Discord takes {limit} MiB here.",
    ),
    "discord_button_why": ("Por quê?", "Why?"),
    "discord_button_fresh": ("Refazer", "Ask fresh"),
    "discord_button_share": ("Compartilhar no canal", "Share in the channel"),
    "discord_button_csv": ("Linhas em CSV", "Rows as CSV"),
    "discord_missing": (
        "Neste servidor falta ao bot a permissão **{name}** (canal {channel}), que serve para {why}. "
        "Ligue-a em Configurações do servidor → Cargos → {role} → Permissões, ou nas permissões do canal.",
        "In this server the bot lacks the permission **{name}** (channel {channel}), which it needs to {why}. "
        "Switch it on under Server Settings → Roles → {role} → Permissions, or in the channel's own permissions.",
    ),
    "discord_no_reply": (
        "Não consigo responder em {channel}: falta ao bot a permissão **{name}**. Um administrador pode ligá-la.",
        "I cannot reply in {channel}: the bot lacks the permission **{name}**. An admin can switch it on.",
    ),
    "discord_interrupted": (
        "Fui reiniciado antes de ler esses arquivos. Envie-os de novo, por favor.",
        "I was restarted before I had read these files. Please send them once more.",
    ),
    "discord_form_title": ("Guardar neste canal", "Keep in this channel"),
    "discord_form_files": ("Arquivos", "Files"),
    "discord_form_text": ("Ou um texto", "Or a text"),
    "discord_form_empty": ("Não havia arquivo nem texto.", "There was neither a file nor a text."),
    "discord_removed": (
        "O bot foi retirado do servidor {name}, e o que sabia dele foi apagado. O link de convite: `polyrag discord invite`.",
        "The bot was removed from the server {name}, and what it knew of it is deleted. To invite it again: "
        "`polyrag discord invite`.",
    ),
    "discord_no_files": (
        "⚠ Não posso enviar {files}: falta ao bot a permissão **{name}** aqui.",
        "⚠ I cannot send {files}: the bot lacks the permission **{name}** here.",
    ),
    "discord_general": ("Todos os comandos, pelo nome", "All commands, by name"),
    "discord_command_name": (
        "o nome de um comando, por exemplo sources",
        "the name of a command, for example sources",
    ),
    "discord_arguments": ("o que o comando precisa", "what the command needs"),
    "slack_no_start": (
        "`polyrag run --adapter slack` não inicia com isso",
        "`polyrag run --adapter slack` does not start with it",
    ),
    "slack_tokens_missing": ("modo {mode}; não definidos: {names}", "{mode} mode; not set: {names}"),
    "slack_tokens_set": ("modo {mode}, tokens definidos", "{mode} mode, tokens set"),
    "slack_working": ("Procurando…", "Looking…"),
    "slack_status": ("está procurando…", "is looking…"),
    "slack_how": ("Como cheguei aqui", "How I got here"),
    "slack_why": ("Por quê?", "Why?"),
    "slack_fresh": ("Perguntar de novo", "Ask fresh"),
    "slack_share": ("Compartilhar no canal", "Share in channel"),
    "slack_csv": ("Baixar CSV", "Get CSV"),
    "slack_up": ("Boa resposta", "Good answer"),
    "slack_down": ("Resposta ruim", "Bad answer"),
    "slack_more_columns": ("… e mais {n} coluna(s)", "… and {n} more column(s)"),
    "slack_home_files": ("O que sei nos canais que você lê", "What I know in the channels you read"),
    "slack_home_health": ("Como estou", "How I am"),
    "slack_home_help": ("O que você pode pedir", "What you can ask"),
    "slack_home_failed": (
        "Não consegui montar esta página agora. Abra de novo em um minuto.",
        "I could not put this page together now. Open it again in a minute.",
    ),
    "slack_try_files": ("Quais arquivos você conhece?", "Which files do you know?"),
    "slack_try_total": ("Qual é o total da tabela?", "What is the total of the table?"),
    "slack_try_rules": ("O que dizem as políticas?", "What do the policies say?"),
    "slack_file_sent": ("Enviei por mensagem direta: {names}", "Sent to you in a direct message: {names}"),
    "slack_not_delivered": (
        "Tenho uma resposta para você, mas o Slack não a aceita agora. Pergunte de novo em alguns minutos.",
        "I have a reply for you, but Slack does not take it now. Ask again in a few minutes.",
    ),
    "slack_not_member": (
        "Só guardo mensagens de canais em que estou: nos outros eu não saberia quando algo fosse apagado. Convide-me "
        "primeiro (`/invite @polyrag`) e peça de novo.",
        "I keep messages only of channels that I am in: elsewhere I would not learn when something is deleted. Invite me "
        "first (`/invite @polyrag`) and ask again.",
    ),
    "slack_not_my_talk": (
        "Só guardo mensagens de conversas em que estou. Encaminhe-a para mim por mensagem direta.",
        "I keep messages only of conversations that I am in. Forward it to me in a direct message.",
    ),
    "slack_not_checked": (
        "Não guardei nada: o Slack não me disse se estou neste canal. Tente de novo em um minuto.",
        "I kept nothing: Slack did not tell me whether I am in this channel. Try again in a minute.",
    ),
    "slack_title": ("Como posso ajudar?", "How can I help?"),
    "job_upload": ("guardar", "store"),
    "job_forget": ("apagar", "delete"),
    "job_forget_channel": ("apagar um canal", "delete a channel"),
    "job_erase_user": ("apagar os dados de uma pessoa", "delete a person's data"),
    "job_reindex": ("refazer o índice", "make the index anew"),
    "job_waiting": ("na fila", "waiting"),
    "job_running": ("em andamento", "at work"),
    "job_retrying": ("tentando de novo", "trying again"),
    "job_done": ("feito", "done"),
    "job_failed": ("falhou", "failed"),
    "job_cancelled": ("cancelado", "called off"),
    "job_again": ("`{id}`: tentando de novo.", "`{id}`: trying again."),
    "job_called_off": ("`{id}`: cancelado.", "`{id}`: called off."),
    "no_jobs": ("Nada na fila e nada que falhou.", "Nothing is waiting and nothing has failed."),
    "jobs_done": ("{n} feita(s).", "{n} done."),
    "status_jobs": (
        "{open} arquivo(s) sendo guardado(s) ou apagado(s), {failed} que falharam (`jobs`)",
        "{open} file(s) being stored or deleted, {failed} that failed (`jobs`)",
    ),
    "erased_channel": ("Canal {channel} apagado:", "Channel {channel} erased:"),
    "erased_user": ("Dados de {user} apagados:", "Data of {user} erased:"),
    "erase_unknown": (
        "`{user}`: não há nada em {place}, então não havia nada para apagar. `--platform` e `--workspace` escolhem outro lugar.",
        "`{user}`: there is nothing in {place}, so there was nothing to erase. `--platform` and `--workspace` name another place.",
    ),
    "erased_nothing": ("não havia nada", "there was nothing"),
    "erased_files": ("{n} arquivo(s)", "{n} file(s)"),
    "erased_passages": ("{n} trecho(s)", "{n} passage(s)"),
    "erased_tables": ("{n} tabela(s)", "{n} table(s)"),
    "erased_relations": ("{n} relação(ões)", "{n} relation(s)"),
    "erased_names": ("{n} nome(s) do vocabulário", "{n} name(s) of the vocabulary"),
    "erased_cached": ("{n} resposta(s) do cache", "{n} cached answer(s)"),
    "erased_traces": ("{n} rastro(s)", "{n} trace(s)"),
    "erased_turns": ("{n} fala(s) de conversas", "{n} turn(s) of threads"),
    "erased_judged": ("{n} avaliação(ões)", "{n} judgement(s)"),
    "erased_links": ("{n} link(s)", "{n} link(s)"),
    "erased_jobs": ("{n} tarefa(s)", "{n} job(s)"),
    "erased_audit": ("{n} anotação(ões) sob pseudônimo", "{n} audit row(s) under a pseudonym"),
    "erased_store": ("{n} no acervo {store}", "{n} in the {store} store"),
    "status_folder": (
        "pasta `{folder}`: {n} arquivo(s) deste canal",
        "folder `{folder}`: {n} file(s) of this channel",
    ),
    "status_folder_lost": (
        "pasta `{folder}`: não consigo ler ({reason})",
        "folder `{folder}`: I cannot read it ({reason})",
    ),
    "exported": ("{n} documento(s) em {file} ({size}).", "{n} document(s) in {file} ({size})."),
    "imported": (
        "{n} documento(s) de {file}; os acervos são refeitos quando o bot for ligado.",
        "{n} document(s) from {file}; the stores are made anew when the bot is started.",
    ),
    "reindexed": ("{n} documento(s) no índice novo.", "{n} document(s) in the new index."),
    "reindex_waits": (
        "{n} documento(s) prontos no índice novo; ele passa a valer quando o bot for religado com esta configuração.",
        "{n} document(s) are ready in the new index; it counts from when the bot is restarted with this configuration.",
    ),
}


def say(key: str, language: Language, **facts: object) -> str:
    """One interface text; an undecided reader gets English."""
    portuguese, english = TEXTS[key]
    return (portuguese if language == "pt" else english).format(**facts)


def reader_language(text: str, locale: Language, settings: Settings) -> Language:
    """The language of what was typed; else the platform's locale; else the bot's own setting."""
    detected = detect_language(text)
    if detected != "und":
        return detected
    return locale if locale != "und" else settings.language
