"""Prose of other trades with the relations a careful reader finds in it, written before any rule was tuned.

Each text is (trail, body, relations). A relation is (subject, words one of which the relation holds, object);
"|" parts spellings that are equally right. Relations marked "+" are true and welcome, but nobody would miss them.
"""

HELDOUT: tuple[tuple[str, tuple[str, ...], str, tuple[str, ...]], ...] = (
    (
        "hospital, Portuguese",
        ("Rotinas do Hospital Santa Efigênia", "Centro cirúrgico"),
        "O Centro Cirúrgico é coordenado pela enfermeira Marta Teles. A limpeza das salas fica a cargo da "
        "Higienize Serviços, que responde à Hotelaria Hospitalar. O arco cirúrgico AC-7 é calibrado pela Engenharia "
        "Clínica a cada seis meses. Kits de prótese são comprados pelo Almoxarifado Central e conferidos pela "
        "Farmácia Satélite. O Banco de Sangue depende do Laboratório Nobre para a sorologia. "
        "A Dra. Celina Prado chefia a Anestesiologia. Ela também integra a Comissão de Óbitos. "
        "Cirurgias acima de quatro horas precisam da autorização da Direção Técnica.",
        (
            "centro cirurgico; coordenad; marta teles|enfermeira marta teles",
            "limpeza das salas|limpeza; cargo; higienize servicos",
            "higienize servicos; responde; hotelaria hospitalar",
            "arco cirurgico ac-7|ac-7; calibrad; engenharia clinica",
            "kits de protese; comprad; almoxarifado central",
            "kits de protese; conferid; farmacia satelite",
            "banco de sangue; depende; laboratorio nobre",
            "dra. celina prado|celina prado; chefia; anestesiologia",
            "dra. celina prado|celina prado; integra; comissao de obitos",
            "cirurgias acima de quatro horas; precisa; autorizacao da direcao tecnica|direcao tecnica",
            "+ arco cirurgico ac-7; also called; ac-7",
        ),
    ),
    (
        "school, Portuguese",
        ("Guia do Colégio Alameda", "3. Coordenações"),
        "O Ensino Médio é dirigido pelo professor Heitor Gusmão e o Fundamental II pela professora Inês Vidal. "
        "A biblioteca usa o sistema Pergamum para empréstimos. O laboratório de química pertence ao Departamento de "
        "Ciências. Quem autoriza excursões é a Vice-Direção. A merenda é fornecida pela Sabor do Campo, contratada "
        "pela Secretaria Municipal. Alunos bolsistas são acompanhados pela Orientação Educacional (OE). "
        "A OE se reporta à Direção Pedagógica. O boletim substitui a antiga caderneta. "
        "As turmas de 9º ano visitam o Museu da Energia em outubro.",
        (
            "ensino medio; dirigid; professor heitor gusmao|heitor gusmao",
            "fundamental ii; dirigid|pela; professora ines vidal|ines vidal",
            "biblioteca; usa; sistema pergamum|pergamum",
            "laboratorio de quimica; pertence; departamento de ciencias",
            "vice-direcao; autoriza; excursoes",
            "merenda; fornecid; sabor do campo",
            "sabor do campo; contratada; secretaria municipal",
            "alunos bolsistas; acompanhad; orientacao educacional",
            "orientacao educacional; also called; oe",
            "oe; reporta; direcao pedagogica",
            "boletim; substitui; antiga caderneta|caderneta",
            "turmas de 9º ano|turmas de 9o ano; visitam; museu da energia",
        ),
    ),
    (
        "law office, Portuguese",
        ("Manual interno", "Áreas e sócios"),
        "Área: Direito Tributário\nSócia responsável: Lúcia Bandeira\nApoio: Núcleo de Cálculo\n\n"
        "A área trabalhista é chefiada por Otávio Rezende. Os prazos são controlados no sistema Themis, mantido pela "
        "Jurisoft. Petições com valor de causa superior a R$ 500 mil devem ser revisadas por dois sócios. "
        "O Núcleo de Cálculo atende todas as áreas e está subordinado à Controladoria Jurídica. "
        "O cliente Metalúrgica Vale Azul foi trazido por Lúcia Bandeira em 2019. "
        "Reuniões externas exigem o formulário RE-2. O arquivo físico foi transferido para a Guarda Fácil.",
        (
            "direito tributario; responsavel; lucia bandeira",
            "direito tributario; apoio; nucleo de calculo",
            "area trabalhista; chefiada; otavio rezende",
            "prazos; controlad; sistema themis|themis",
            "sistema themis|themis; mantid; jurisoft",
            "peticoes com valor de causa superior a r$ 500 mil; revisad; dois socios",
            "nucleo de calculo; subordinad; controladoria juridica",
            "cliente metalurgica vale azul|metalurgica vale azul; trazid; lucia bandeira",
            "reunioes externas; exig; formulario re-2|re-2",
            "arquivo fisico; transferid; guarda facil",
            "+ nucleo de calculo; atende; areas|todas as areas",
            "+ formulario re-2; also called; re-2",
        ),
    ),
    (
        "city hall, Portuguese",
        ("Carta de serviços da Prefeitura de Rio Manso", "Obras e licenças"),
        "O alvará de construção é emitido pela Secretaria de Urbanismo (SEURB) depois da vistoria da Defesa Civil. "
        "A SEURB é formada pelo Departamento de Licenças e pela Fiscalização de Obras. "
        "Recursos contra multas são julgados pela Junta Municipal. O sistema e-Obras foi desenvolvido pela Prodata e "
        "roda nos servidores do Estado. Árvores em calçada só podem ser podadas pela Secretaria do Verde. "
        "O engenheiro Caio Brandt fiscaliza a ponte do bairro Lajeado. A ponte foi projetada pela Construtora Horizonte. "
        "Lixo hospitalar é recolhido pela Ecovida, nunca pelo caminhão comum.",
        (
            "alvara de construcao; emitid; secretaria de urbanismo",
            "secretaria de urbanismo; also called; seurb",
            "seurb; formad; departamento de licencas",
            "seurb; formad; fiscalizacao de obras",
            "recursos contra multas; julgad; junta municipal",
            "sistema e-obras|e-obras; desenvolvid; prodata",
            "sistema e-obras|e-obras; roda; servidores do estado|estado",
            "arvores em calcada; podad; secretaria do verde",
            "engenheiro caio brandt|caio brandt; fiscaliza; ponte do bairro lajeado|bairro lajeado|lajeado",
            "ponte|ponte do bairro lajeado; projetad; construtora horizonte",
            "lixo hospitalar; recolhid; ecovida",
        ),
    ),
    (
        "factory, Portuguese",
        ("Ficha de máquina", "Prensa PH-200"),
        "Fabricante: Hidraumec\nManutenção: Oficina Leste\nOperador titular: Jonas Caldeira\n\n"
        "- Alimentada pela esteira E-3.\n- Substitui a prensa PH-150, vendida em 2023.\n- Usa óleo HLP 68.\n\n"
        "A esteira E-3 é acionada pelo motor WM-11. O motor WM-11 foi rebobinado pela Eletro Irmãos. "
        "A Oficina Leste recebe ordens do PCM. O PCM é o setor de planejamento da manutenção. "
        "Em caso de vazamento, a brigada chama a Oficina Leste.",
        (
            "prensa ph-200; fabricante; hidraumec",
            "prensa ph-200; manutencao; oficina leste",
            "prensa ph-200; operador; jonas caldeira",
            "prensa ph-200; alimentada; esteira e-3",
            "prensa ph-200; substitui; prensa ph-150",
            "prensa ph-200; usa; oleo hlp 68",
            "esteira e-3; acionad; motor wm-11",
            "motor wm-11; rebobinad; eletro irmaos",
            "oficina leste; recebe; pcm|ordens do pcm",
            "pcm; é|e; setor de planejamento da manutencao|setor de planejamento",
            "brigada; chama; oficina leste",
            "+ esteira e-3; also called; e-3",
            "+ motor wm-11; also called; wm-11",
            "+ prensa ph-150; also called; ph-150",
            "+ prensa ph-200; also called; ph-200",
            "+ oficina leste; recebe ordens d; pcm",
        ),
    ),
    (
        "software team, English",
        ("Platform handbook", "Services and owners"),
        "The billing service is owned by Team Falcon and depends on the ledger service. Ledger service runs on "
        "PostgreSQL 16. Team Falcon reports to Priya Nair, who leads Payments Engineering. Deployments are triggered by "
        "Argo and rolled back by whoever is on call. The search service was replaced by Lighthouse in March. "
        "Lighthouse indexes documents from the content store. Secrets live in Vault. "
        "It is maintained by the Security Guild. Incidents above severity 2 are handled by the Incident Commander. "
        "Nobody merges to main on Fridays.",
        (
            "billing service; owned; team falcon",
            "billing service; depends; ledger service",
            "ledger service; runs on; postgresql 16",
            "team falcon; reports to; priya nair",
            "priya nair; leads; payments engineering",
            "deployments; triggered; argo",
            "search service; replaced; lighthouse",
            "secrets; live; vault",
            "vault; maintained; security guild",
            "incidents above severity 2; handled; incident commander",
            "+ lighthouse; indexes; documents from the content store|documents|content store",
        ),
    ),
    (
        "clinic, English",
        ("Harbor Clinic staff guide", "Referrals"),
        "Referrals to cardiology are approved by Dr. Ellen Moss. The X-ray unit belongs to Northgate Imaging, a "
        "subsidiary of Medax Group. Nurse managers supervise the triage desk. Lab samples are collected by SwiftLab "
        "twice a day and delivered to the Riverside Laboratory. The clinic's records system, ChartOne, is hosted by "
        "Cloudmed. Vaccines are supplied by Pharmalink and stored in fridge F-2. "
        "Any refund over $200 must be signed by the practice manager. Interpreters can be requested through LinguaLine.",
        (
            "referrals to cardiology|referrals; approved; dr. ellen moss|ellen moss",
            "x-ray unit; belongs; northgate imaging",
            "northgate imaging; subsidiary; medax group|subsidiary of medax group",
            "nurse managers; supervise; triage desk",
            "lab samples; collected; swiftlab",
            "lab samples; delivered; riverside laboratory",
            "chartone|clinic's records system; hosted; cloudmed",
            "vaccines; supplied; pharmalink",
            "vaccines; stored; fridge f-2|f-2",
            "refund over $200|any refund over $200; signed; practice manager",
            "interpreters; requested; lingualine",
            "+ fridge f-2; also called; f-2",
            "+ clinic's records system; also called|is; chartone",
        ),
    ),
    (
        "hotel, English",
        ("Operations manual of the Grand Meridian", "4.2 Housekeeping"),
        "Housekeeping is led by Rosa Alvarez. She reports to the Director of Rooms. Linen is washed by BrightWash, "
        "whose contract is managed by the Purchasing Office. The minibar supplier, Vendico, invoices the Finance "
        "Department every month. Lost items are logged in form LF-9 and kept by Security for 90 days. "
        "The spa uses the BookWell platform. Suites 901 to 905 are part of the Executive Floor. "
        "Requests for late checkout are granted by the Front Desk, and disputes go to the Duty Manager. "
        "The Executive Floor has its own concierge.",
        (
            "housekeeping; led; rosa alvarez",
            "rosa alvarez; reports to; director of rooms",
            "linen; washed; brightwash",
            "minibar supplier|vendico; invoices; finance department",
            "lost items; logged; form lf-9|lf-9",
            "lost items; kept by; security",
            "spa; uses; bookwell platform|bookwell",
            "suites 901 to 905; part of; executive floor",
            "requests for late checkout; granted; front desk",
            "disputes; go to; duty manager",
            "+ brightwash|brightwash contract|contract; managed; purchasing office",
            "+ form lf-9; also called; lf-9",
            "+ executive floor; has; own concierge|concierge",
            "+ minibar supplier; also called|is; vendico",
        ),
    ),
    (
        "farm co-op, English",
        ("Greenfield Growers rulebook", "Sheds and machines"),
        "Unit: Packing Shed North\nForeman: Tom Okafor\nBackup: Lena Brandt\n\n"
        "Tom Okafor answers to the Operations Board. The optical sorter OS-4 was built by Sortec and is serviced by "
        "Agrifix. Pallets come from Woodline Ltd. Cold store keys are held by the night guard. "
        "Pesticide purchases require approval from the Agronomy Committee. The Agronomy Committee consists of Dr. Hale, "
        "Lena Brandt and two growers. The old grader was sold to Hillside Farm. "
        "Organic lots are certified by EcoSeal, not by the co-op.",
        (
            "packing shed north; foreman; tom okafor",
            "packing shed north; backup; lena brandt",
            "tom okafor; answers to; operations board",
            "optical sorter os-4|os-4; built; sortec",
            "optical sorter os-4|os-4; serviced; agrifix",
            "pallets; come from; woodline ltd|woodline",
            "cold store keys; held; night guard",
            "pesticide purchases; require; approval from the agronomy committee|agronomy committee",
            "agronomy committee; consists of; dr. hale|hale",
            "agronomy committee; consists of; lena brandt",
            "agronomy committee; consists of; two growers",
            "old grader; sold; hillside farm",
            "organic lots; certified; ecoseal",
            "+ optical sorter os-4; also called; os-4",
        ),
    ),
    (
        "museum, English and Portuguese",
        ("Conservation notes", "Lending"),
        "The print collection is curated by Hanna Weiss. Loans are insured through Artsure and transported by Fine "
        "Freight. The storage vault was designed by Studio Kanto. Climate readings are sent to the Conservation Lab. "
        "Os quadros emprestados são recebidos pela Reserva Técnica. A Reserva Técnica faz parte da Diretoria de Acervo. "
        "O catálogo é publicado pela Editora Lume e revisado por Bento Saraiva.",
        (
            "print collection; curated; hanna weiss",
            "loans; insured; artsure",
            "loans; transported; fine freight",
            "storage vault; designed; studio kanto",
            "climate readings; sent; conservation lab",
            "quadros emprestados; recebid; reserva tecnica",
            "reserva tecnica; parte; diretoria de acervo",
            "catalogo; publicad; editora lume",
            "catalogo; revisad; bento saraiva",
        ),
    ),
)
